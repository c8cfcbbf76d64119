/** The numbers of system calls whose arguments the filter looks at, by processor as Node names it. */
export const SPECIAL_CALLS: Readonly<Record<string, { audit_arch: number; clone: number; socket: number }>> =
  {
    x64: { audit_arch: 0xc000003e, clone: 56, socket: 41 },
    arm64: { audit_arch: 0xc00000b7, clone: 220, socket: 198 },
  }

/**
 * Calls that give a file its mode, with the place of the mode among their arguments. A file that a command
 * makes with the set-user bit would run with the rights of the hub's user for anybody on the machine.
 */
export const MODE_CALLS: Readonly<Record<string, readonly (readonly [call: number, argument: number])[]>> = {
  // open, chmod, fchmod, creat, mknod, openat, mknodat, fchmodat, fchmodat2
  x64: [
    [2, 2],
    [90, 1],
    [91, 1],
    [85, 1],
    [133, 1],
    [257, 3],
    [259, 2],
    [268, 2],
    [452, 2],
  ],
  // mknodat, fchmod, fchmodat, openat, fchmodat2
  arm64: [
    [33, 2],
    [52, 1],
    [53, 2],
    [56, 3],
    [452, 2],
  ],
}

/** Calls whose mode or flags a filter cannot see; libraries go back to the older ones. */
export const UNSEEN_CALLS: readonly number[] = [435, 437] // clone3, openat2

// Newer calls have one number everywhere.
const EVERYWHERE = [
  425,
  426,
  427, // io_uring_setup, io_uring_enter, io_uring_register
  428,
  429,
  430,
  431,
  432,
  433,
  442,
  467, // open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, …
  438, // pidfd_getfd
  443, // quotactl_fd
  447, // memfd_secret: its pages are told as those of files, which the kernel could give back
]

const X64 = {
  acct: 163,
  add_key: 248,
  bpf: 321,
  chroot: 161,
  clock_settime: 227,
  delete_module: 176,
  finit_module: 313,
  init_module: 175,
  ioperm: 173,
  iopl: 172,
  kcmp: 312,
  kexec_file_load: 320,
  kexec_load: 246,
  keyctl: 250,
  lookup_dcookie: 212,
  mount: 165,
  open_by_handle_at: 304,
  perf_event_open: 298,
  pivot_root: 155,
  process_vm_readv: 310,
  process_vm_writev: 311,
  ptrace: 101,
  quotactl: 179,
  reboot: 169,
  request_key: 249,
  setns: 308,
  settimeofday: 164,
  swapoff: 168,
  swapon: 167,
  syslog: 103,
  umount2: 166,
  unshare: 272,
  userfaultfd: 323,
}

const ARM64 = {
  acct: 89,
  add_key: 217,
  bpf: 280,
  chroot: 51,
  clock_settime: 112,
  delete_module: 106,
  finit_module: 273,
  init_module: 105,
  kcmp: 272,
  kexec_file_load: 294,
  kexec_load: 104,
  keyctl: 219,
  lookup_dcookie: 18,
  mount: 40,
  open_by_handle_at: 265,
  perf_event_open: 241,
  pivot_root: 41,
  process_vm_readv: 270,
  process_vm_writev: 271,
  ptrace: 117,
  quotactl: 60,
  reboot: 142,
  request_key: 218,
  setns: 268,
  settimeofday: 170,
  swapoff: 225,
  swapon: 224,
  syslog: 116,
  umount2: 39,
  unshare: 97,
  userfaultfd: 282,
}

/** The numbers of the system calls that always fail in the sandbox. */
export const DENIED_CALLS: Readonly<Record<string, readonly number[]>> = {
  x64: [...Object.values(X64), ...EVERYWHERE],
  arm64: [...Object.values(ARM64), ...EVERYWHERE],
}

/**
 * Calls that make semaphores and queues of messages that no process has open: nobody is told what they hold, and of
 * semaphores it is as much as the machine has. Of events of asynchronous input and output there is one number for all
 * programs of the machine, databases among them. They do not exist, as in a kernel that was built without them.
 */
export const UNCOUNTED_CALLS: Readonly<Record<string, readonly number[]>> = {
  // semget, msgget, io_setup
  x64: [64, 68, 206],
  arm64: [190, 186, 0],
}

/**
 * Calls that lend pages to a pipe or a socket. One byte of a huge page holds on to all of it, which nobody counts once
 * it is unmapped or its file is cut. Libraries copy where these say that a file is not made for it.
 */
export const LENDING_CALLS: Readonly<Record<string, readonly number[]>> = {
  // sendfile, splice, tee, vmsplice
  x64: [40, 275, 276, 278],
  arm64: [71, 76, 77, 75],
}
