"""The requests of the client, and the functions that answer them."""

from collections.abc import Callable
from typing import Any

from lsprotocol import types

from clustergen.checking import registry
from clustergen.editor import actions, checking, choices, completion, hover, navigation
from clustergen.editor import fields as language
from clustergen.editor.outline import Node
from clustergen.editor.scope import Scope
from clustergen.editor.server import Server, name_of
from clustergen.editor.texts import Text


def register(server: Server) -> None:
    """Make the server answer."""
    _lifecycle(server)
    _writing(server)
    _reading(server)
    _names(server)


def _lifecycle(server: Server) -> None:
    @server.feature(types.INITIALIZED)
    async def initialized(_: types.InitializedParams) -> None:
        server.in_background(_warm)
        await _watch(server)

    @server.feature(types.SHUTDOWN)
    def shutdown(_: Any) -> None:
        server.status = 0

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_on_disk(_: Any) -> None:
        server.check_soon(server.texts)


def _warm() -> None:
    """Load what the first request would otherwise wait for."""
    language.forms((), Node(Text("", "").end()))
    choices.known_types()
    registry.by_code()


async def _watch(server: Server) -> None:
    """Ask the client to report changes of project files, their types, and closed specs."""
    workspace = server.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace else None
    if watching is None or not watching.dynamic_registration:
        return
    names = ("**/clustergen.toml", "**/pyproject.toml", "**/*.json", "**/*.yaml", "**/*.yml")
    watchers = [types.FileSystemWatcher(name) for name in names]
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    registration = types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    await server.client_register_capability_async(types.RegistrationParams([registration]))


def _writing(server: Server) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION,
        types.CompletionOptions(
            trigger_characters=[":", " ", "-", "[", "{", ",", "."], resolve_provider=True
        ),
    )
    def complete(params: types.CompletionParams) -> types.CompletionList | None:
        text = server.texts.get(params.text_document.uri)
        if text is None or not _may_be_spec(server, text):
            return None
        scope = server.spec(text.uri)
        others = scope.files[1:] if scope else ()
        return completion.complete(text, params.position, others, lines=_takes_lines(server))

    server.feature(types.COMPLETION_ITEM_RESOLVE)(completion.resolve)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[*actions.KINDS])
    )
    def act(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        result = server.result(uri)
        if result is None:
            return []
        found = actions.actions(result.findings, name_of(uri), result.text, params.range)
        if any(checking.is_safe(finding) for finding in result.findings):
            found.append(actions.fix_all(result.text, server.fixed(uri)))
        return actions.of_kinds(found, params.context.only)


def _may_be_spec(server: Server, text: Text) -> bool:
    """Whether a text is a spec, or empty, or has only the version of one."""
    if not text.content.strip() or server.spec(text.uri):
        return True
    return checking.has_version(text.content)


def _takes_lines(server: Server) -> bool:
    """Whether the client inserts items of several lines as they are."""
    document = server.client_capabilities.text_document
    item = document.completion.completion_item if document and document.completion else None
    modes = item.insert_text_mode_support if item else None
    return modes is not None and types.InsertTextMode.AsIs in modes.value_set


def _reading(server: Server) -> None:
    _about_a_word(server, types.TEXT_DOCUMENT_HOVER, hover.hover, None)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        scope = server.spec(params.text_document.uri)
        if scope is None:
            return []
        return navigation.symbols(scope.files[0].text, scope.files[0].roots)


def _names(server: Server) -> None:
    _about_a_word(server, types.TEXT_DOCUMENT_DEFINITION, navigation.definitions, [])
    _about_a_word(server, types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, navigation.highlights, [])
    _about_a_word(server, types.TEXT_DOCUMENT_PREPARE_RENAME, navigation.renamable, None)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def refer(params: types.ReferenceParams) -> list[types.Location]:
        found = _at(server, params)
        if found is None:
            return []
        declaration = params.context.include_declaration
        return navigation.references(*found, params.position, declaration=declaration)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        found = _at(server, params)
        if found is None:
            return None
        return navigation.rename(*found, params.position, params.new_name)


def _about_a_word(
    server: Server,
    feature: str,
    answer: Callable[[Text, Scope, types.Position], Any],
    nothing: list[Any] | None,
) -> None:
    """A request about the word at a position, which has ``nothing`` as its answer elsewhere."""

    @server.feature(feature)
    def answered(params: Any) -> Any:
        found = _at(server, params)
        return answer(*found, params.position) if found else nothing


def _at(server: Server, params: Any) -> tuple[Text, Scope] | None:
    scope = server.spec(params.text_document.uri)
    return (scope.files[0].text, scope) if scope else None
