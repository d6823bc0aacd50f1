/* cli/replay_gdb_script.c: what gdb is told when it is attached to a replayed program: names of threads, the user's frame, the
 * command 'augur'. */
#include "base/alloc.h"
#include "cli/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* After two numbers and a path. Frames of the runtime are compiled in ../rt. */
static const char script[] =
    "import gdb\n"
    "def augur_is_own(f):\n"
    "    s = f.find_sal().symtab\n"
    "    return s is not None and not s.filename.startswith(('../rt/', '/usr/', './', "
    "'../sysdeps/'))\n"
    "def augur_users_frame():\n"
    "    f = gdb.newest_frame()\n"
    "    while f is not None and not augur_is_own(f):\n"
    "        f = f.older()\n"
    "    return f\n"
    "def augur_stopped_here():\n"
    "    f = gdb.newest_frame()\n"
    "    while f is not None and f.name() != 'rt_stop':\n"
    "        f = f.older()\n"
    "    return f is not None\n"
    "def augur_where(t):\n"
    "    f = augur_users_frame()\n"
    "    if f is None:\n"
    "        return t.name + ' is in no line of the program'\n"
    "    s = f.find_sal()\n"
    "    name = f.name() or '_Z'\n" /* gdb has no name for some lambdas */
    "    inside = '' if name.startswith('_Z') else ' in ' + name\n"
    "    return '%s at %s:%d%s' % (t.name, s.symtab.filename, s.line, inside)\n"
    "def augur_threads():\n"
    "    at = gdb.selected_thread()\n"
    "    for t in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):\n"
    "        t.switch()\n"
    "        yield t\n"
    "    at.switch()\n"
    "    augur_select()\n"
    "def augur_select():\n"
    "    f = augur_users_frame()\n"
    "    if f is not None:\n"
    "        f.select()\n"
    "def augur_begin():\n"
    "    stopped = None\n"
    "    for t in augur_threads():\n"
    "        try:\n"
    "            if augur_users_frame() is not None:\n"
    "                t.name = 'T%d' % int(gdb.parse_and_eval('rt_self->number'))\n"
    "            if augur_stopped_here():\n"
    "                stopped = t\n"
    "        except gdb.error:\n"
    "            pass\n"
    "    if stopped is None:\n"
    "        return\n"
    "    stopped.switch()\n"
    "    augur_select()\n"
    "    print('augur: behind turn %d of %d: %s' % (augur_turn, augur_turns, "
    "augur_where(stopped)))\n"
    "class Augur(gdb.Command):\n"
    "    \"\"\"Moves along the schedule of the finding.\n"
    "augur where: the line of the program that each thread is in\n"
    "augur forward, augur back: one turn of the schedule on, or back\n"
    "augur turn N: to the end of turn N\n"
    "The program is executed anew, up to there.\"\"\"\n"
    "    def __init__(self):\n"
    "        super().__init__('augur', gdb.COMMAND_USER)\n"
    "    def invoke(self, arg, tty):\n"
    "        words = arg.split()\n"
    "        if words == ['where']:\n"
    "            for t in augur_threads():\n"
    "                if t.name[:1] == 'T' and t.name[1:].isdigit():\n"
    "                    print(augur_where(t))\n"
    "            return\n"
    "        to = None\n"
    "        if words == ['forward']:\n"
    "            to = augur_turn + 1\n"
    "        elif words == ['back']:\n"
    "            to = augur_turn - 1\n"
    "        elif len(words) == 2 and words[0] == 'turn' and words[1].isdigit():\n"
    "            to = int(words[1])\n"
    "        if to is None:\n"
    "            raise gdb.GdbError('augur where, augur forward, augur back or augur turn N')\n"
    "        if not 1 <= to <= augur_turns:\n"
    "            raise gdb.GdbError('the schedule has turns 1 to %d' % augur_turns)\n"
    "        with open(augur_request, 'w') as f:\n"
    "            f.write('%d %d\\n' % (to, augur_command))\n"
    "        gdb.execute('set confirm off')\n"
    "        gdb.execute('kill')\n"
    "        gdb.execute('quit')\n"
    "Augur()\n"
    "try:\n"
    "    augur_begin()\n"
    "finally:\n" /* the program may go on when gdb lets it (replay_gdb.c) */
    "    with open(augur_request, 'w') as f:\n"
    "        f.write('attached\\n')\n";

/* An empty file of our own; NULL: it cannot be made. */
static char *temporary(const char *end) {
    char *path = au_sprintf("/tmp/augur-gdb-XXXXXX%s", end);
    int fd = mkstemps(path, (int)strlen(end));
    if (fd >= 0) {
        close(fd);
        return path;
    }
    free(path);
    return NULL;
}

void au_gdb_write_script(au_gdb *g) {
    au_gdb_release(g);
    g->script = temporary(".py");
    g->request = temporary(".txt");
    FILE *f = g->script && g->request ? fopen(g->script, "w") : NULL;
    if (!f) {
        au_gdb_release(g);
        return;
    }
    fprintf(f, "augur_turn, augur_turns, augur_request, augur_command = %zu, %zu, '%s', 0\n",
            g->turn, g->turns, g->request);
    fputs(script, f);
    if (fclose(f))
        au_gdb_release(g);
}
