/* The options of pyxis and of HyperPod's auto-resume: they are accepted, and nothing else happens. */
#include <stddef.h>

#include <slurm/spank.h>

SPANK_PLUGIN(pyxis, 1);

static int accept_any(int value, const char *argument, int remote) {
  return 0;
}

static struct spank_option options[] = {
    {"container-image", "IMAGE", "as of pyxis", 1, 1, accept_any},
    {"container-mounts", "MOUNTS", "as of pyxis", 1, 2, accept_any},
    {"container-name", "NAME", "as of pyxis", 1, 3, accept_any},
    {"container-workdir", "FOLDER", "as of pyxis", 1, 4, accept_any},
    {"auto-resume", "0|1", "as of HyperPod", 1, 5, accept_any},
    SPANK_OPTIONS_TABLE_END,
};

int slurm_spank_init(spank_t plugin, int count, char **arguments) {
  for (struct spank_option *option = options; option->name; option++) {
    int status = spank_option_register(plugin, option);
    if (status) return status;
  }
  return 0;
}
