/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the process gives up once a model is loaded, so that even a fault of ours in what was made from a file that nobody
 * trusts stays contained: it gains no privileges, starts no program and no process, opens no connection, touches no
 * other process (seccomp), writes and removes files only in the directory of its output (Landlock), and has no more
 * address space than the machine has memory.  On systems without these it goes on without them. */
#include "config.h"
#include "contain.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void limit_memory(void)
{
#ifndef SANITIZED               /* which reserves terabytes */
    struct rlimit r;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || size <= 0 || getrlimit(RLIMIT_AS, &r) != 0)
        return;
    rlim_t most = (rlim_t)pages * (rlim_t)size;
    if (r.rlim_cur == RLIM_INFINITY || r.rlim_cur > most)
        r.rlim_cur = r.rlim_max != RLIM_INFINITY && r.rlim_max < most ? r.rlim_max : most;
    r.rlim_max = r.rlim_cur;    /* for good */
    setrlimit(RLIMIT_AS, &r);
#endif
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <asm/sockios.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))        /* of an argument: its low half, both are little-endian */
#define DENY BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define MISSING BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define DENY_CALL(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), DENY
/* allowed if an argument has a value, or if it has not */
#define ONLY_WITH(name, argument, value) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD(args[argument]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 1, 0), DENY, ALLOW
#define NEVER_WITH(name, argument, first, second, third, fourth)                                                                     \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 7), LOAD(args[argument]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (first), 3, 0),    \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (second), 2, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (third), 1, 0), \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (fourth), 0, 1), DENY, ALLOW

/* Calls from here on (Linux 5.1) came after what C libraries can rely on: to all of them, also those that are still to come, the
 * answer is that of an older system.  They are pidfd_send_signal, io_uring, mounts by handle, clone3, pidfd_open, ... */
enum { FIRST_NEW_CALL = 424 };

/* The owner of a file of another user that root replaces: a new file may be given to him; -1: nobody. */
static uint32_t owner_of(const char *output)
{
    struct stat st;
    return output && geteuid() == 0 && stat(output, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid != 0 ? (uint32_t)st.st_uid : UINT32_MAX;
}

static void filter_calls(uint32_t owner)
{
    struct sock_filter code[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_NEW_CALL, 0, 1), MISSING,     /* the numbers of x32, too */
#ifdef __x86_64__
        DENY_CALL(fork), DENY_CALL(vfork), DENY_CALL(ioperm), DENY_CALL(iopl), DENY_CALL(modify_ldt), DENY_CALL(link),
        DENY_CALL(symlink), DENY_CALL(mknod), DENY_CALL(chmod), DENY_CALL(chown), DENY_CALL(lchown), DENY_CALL(utime), DENY_CALL(utimes), DENY_CALL(futimesat),
#endif
        /* programs, other processes */
        DENY_CALL(execve), DENY_CALL(execveat), DENY_CALL(ptrace), DENY_CALL(process_vm_readv), DENY_CALL(process_vm_writev), DENY_CALL(kcmp),
        DENY_CALL(kill), DENY_CALL(tkill), DENY_CALL(rt_sigqueueinfo), DENY_CALL(rt_tgsigqueueinfo), DENY_CALL(setpriority), DENY_CALL(ioprio_set),
        DENY_CALL(sched_setscheduler), DENY_CALL(sched_setparam), DENY_CALL(sched_setattr), DENY_CALL(move_pages), DENY_CALL(migrate_pages),
        DENY_CALL(shmget), DENY_CALL(shmat), DENY_CALL(shmctl), DENY_CALL(msgget), DENY_CALL(msgctl), DENY_CALL(msgsnd), DENY_CALL(msgrcv),
        DENY_CALL(semget), DENY_CALL(semctl), DENY_CALL(semop), DENY_CALL(semtimedop), DENY_CALL(mq_open), DENY_CALL(mq_unlink),
        ONLY_WITH(tgkill, 0, (uint32_t)getpid()), ONLY_WITH(prlimit64, 0, 0),
        /* what is typed at the terminal after us; signals to others by way of a file that has something to read */
        NEVER_WITH(ioctl, 1, TIOCSTI, TIOCLINUX, FIOSETOWN, SIOCSPGRP), NEVER_WITH(fcntl, 1, F_SETOWN, F_SETOWN_EX, F_SETSIG, F_NOTIFY),
        /* connections, but for those that come to a place where this process listens already (mbs play) */
        DENY_CALL(socket), DENY_CALL(socketpair), DENY_CALL(connect), DENY_CALL(bind), DENY_CALL(listen),
        /* files by other ways than opening them (Landlock sees no modes, owners, attributes) */
        DENY_CALL(mknodat), DENY_CALL(symlinkat), DENY_CALL(linkat), DENY_CALL(name_to_handle_at), DENY_CALL(open_by_handle_at), DENY_CALL(memfd_create),
        DENY_CALL(fchmod), DENY_CALL(fchmodat), DENY_CALL(fchownat), ONLY_WITH(fchown, 1, owner), DENY_CALL(utimensat), DENY_CALL(setxattr), DENY_CALL(lsetxattr), DENY_CALL(fsetxattr),
        DENY_CALL(removexattr), DENY_CALL(lremovexattr), DENY_CALL(fremovexattr), DENY_CALL(fanotify_init),
        /* the kernel and the system */
        DENY_CALL(bpf), DENY_CALL(perf_event_open), DENY_CALL(userfaultfd), DENY_CALL(keyctl), DENY_CALL(add_key), DENY_CALL(request_key),
        DENY_CALL(mount), DENY_CALL(umount2), DENY_CALL(pivot_root), DENY_CALL(chroot), DENY_CALL(setns), DENY_CALL(unshare),
        DENY_CALL(setuid), DENY_CALL(setgid), DENY_CALL(setreuid), DENY_CALL(setregid), DENY_CALL(setresuid), DENY_CALL(setresgid), DENY_CALL(setfsuid),
        DENY_CALL(setfsgid), DENY_CALL(setgroups), DENY_CALL(capset), DENY_CALL(personality), DENY_CALL(init_module), DENY_CALL(finit_module),
        DENY_CALL(delete_module), DENY_CALL(kexec_load), DENY_CALL(kexec_file_load), DENY_CALL(reboot), DENY_CALL(swapon), DENY_CALL(swapoff), DENY_CALL(acct), DENY_CALL(syslog),
        DENY_CALL(sethostname), DENY_CALL(setdomainname), DENY_CALL(settimeofday), DENY_CALL(clock_settime), DENY_CALL(adjtimex), DENY_CALL(clock_adjtime),
        DENY_CALL(quotactl), DENY_CALL(vhangup),
        /* threads of a linear algebra library may start, processes may not (clone3, which hides its flags, is a new call: then clone is tried) */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        DENY,
        ALLOW,
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    /* for all threads: a linear algebra library may have started some when it was loaded */
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Landlock (Linux 5.13), by its numbers: a C library may not know them yet. */
struct ruleset {
    uint64_t fs;
};
struct beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));
enum {
    FS_EXECUTE = 1 << 0, FS_WRITE_FILE = 1 << 1, FS_REMOVE_DIR = 1 << 4, FS_REMOVE_FILE = 1 << 5, FS_MAKE_CHAR = 1 << 6, FS_MAKE_DIR = 1 << 7,
    FS_MAKE_REG = 1 << 8, FS_MAKE_SOCK = 1 << 9, FS_MAKE_FIFO = 1 << 10, FS_MAKE_BLOCK = 1 << 11, FS_MAKE_SYM = 1 << 12, FS_TRUNCATE = 1 << 14,
};
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

static void allow(int rules, const char *path, uint64_t what)
{
    struct beneath b = {what, open(path, O_PATH | O_CLOEXEC)};
    if (b.parent < 0)
        return;
    syscall(SYS_landlock_add_rule, rules, 1 /* path beneath */, &b, 0);
    close(b.parent);
}

/* What is written goes to a file beside it first: its directory. */
static void allow_output(int rules, const char *output, uint64_t what)
{
    char dir[4096];
    if (!output || !strcmp(output, "-") || strlen(output) >= sizeof dir)
        return;
    char *real = realpath(output, NULL);        /* behind links, if it is there */
    strcpy(dir, real && strlen(real) < sizeof dir ? real : output);
    free(real);
    char *slash = strrchr(dir, '/');
    if (slash)
        slash[slash == dir] = 0;
    allow(rules, slash ? dir : ".", what);
}

static void limit_files(const char *output, const char *page, bool engine)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1 /* version */);
    struct ruleset set = {FS_EXECUTE | FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_CHAR | FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_SOCK | FS_MAKE_FIFO
                          | FS_MAKE_BLOCK | FS_MAKE_SYM | (version >= 3 ? FS_TRUNCATE : 0)};
    int rules = version >= 1 ? (int)syscall(SYS_landlock_create_ruleset, &set, sizeof set, 0) : -1;
    if (rules < 0)
        return;
    uint64_t write = FS_WRITE_FILE | FS_REMOVE_FILE | FS_MAKE_REG | (version >= 3 ? FS_TRUNCATE : 0);
    allow_output(rules, output, write);
    allow_output(rules, page, write);
    const char *temporary = getenv("TMPDIR");
    if (engine) {
        allow(rules, "/dev/shm", FS_REMOVE_FILE);
        allow(rules, temporary && *temporary ? temporary : "/tmp", FS_REMOVE_FILE | FS_REMOVE_DIR);
    }
    syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
}

void contain(const char *output, const char *page, bool engine)
{
    limit_memory();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
    limit_files(output, page, engine);
    filter_calls(owner_of(output ? output : page));
}
#else
void contain(const char *output, const char *page, bool engine)
{
    (void)output;
    (void)page;
    (void)engine;
    limit_memory();
}
#endif
