/** The numbers of system calls of one architecture, from the tables of Linux. */
type Calls = {
  /** What the kernel calls the architecture: `AUDIT_ARCH_…` of linux/audit.h. */
  architecture: number
  /** `add_key`, `request_key` and `keyctl`. */
  keyrings: readonly number[]
  prctl: readonly number[]
}

const keyringsOfX64 = [248, 249, 250]
const prctlOfX64 = 157
/** The same calls with pointers of 32 bits: `__X32_SYSCALL_BIT` of linux/unistd.h. */
const x32 = 0x4000_0000

/** By `process.arch`, with the older architecture whose programs such a machine runs too. */
const callsOf: Record<string, readonly Calls[]> = {
  x64: [
    {
      architecture: 0xc000_003e,
      keyrings: [...keyringsOfX64, ...keyringsOfX64.map((call) => call + x32)],
      prctl: [prctlOfX64, prctlOfX64 + x32],
    },
    { architecture: 0x4000_0003, keyrings: [286, 287, 288], prctl: [172] },
  ],
  arm64: [
    { architecture: 0xc000_00b7, keyrings: [217, 218, 219], prctl: [167] },
    { architecture: 0x4000_0028, keyrings: [309, 310, 311], prctl: [172] },
  ],
}

// linux/bpf_common.h, linux/seccomp.h and asm-generic/errno.h.
const [loadWord, jumpIfEqual, answer] = [0x20, 0x15, 0x06]
const [offsetOfCall, offsetOfArchitecture, offsetOfArgument] = [0, 4, 16]
const allow = 0x7fff_0000
/** The calls seem not to exist: programs do without keyrings then, as on kernels that were built without. */
const noSuchCall = 0x0005_0000 + 38
/** Nothing is done, and the program is told that it was. */
const pretend = 0x0005_0000
/** `PR_SET_DUMPABLE` of linux/prctl.h: a process that is not dumpable hides its files and its memory. */
const setDumpable = 4

type Instruction = { code: number; ifTrue?: number; ifFalse?: number; operand: number }

/**
 * Returns a filter of system calls for `--seccomp` of bubblewrap; undefined for an architecture that is not known. It
 * keeps programs from keyrings of the kernel. These belong to users and sessions, and no namespace separates them: a
 * program would find the keys of whoever started the runner, and those of programs before it. It keeps processes from
 * hiding what they use from a runner that is not root, too: there are no core dumps anyway.
 */
export function systemCallFilter(architecture: string = process.arch): Buffer | undefined {
  const known = callsOf[architecture]
  if (!known) return undefined
  return Buffer.concat([
    bytesOf({ code: loadWord, operand: offsetOfArchitecture }),
    ...known.flatMap((one) => instructionsFor(one)).map(bytesOf),
    bytesOf({ code: answer, operand: noSuchCall }), // of a call of any other architecture
  ])
}

/** Skipped as a whole by calls of another architecture. */
function instructionsFor({ architecture, keyrings, prctl }: Calls): Instruction[] {
  const answers: Instruction[] = [
    { code: answer, operand: allow },
    { code: answer, operand: noSuchCall },
    { code: loadWord, operand: offsetOfArgument },
    { code: jumpIfEqual, ifFalse: 1, operand: setDumpable },
    { code: answer, operand: pretend },
    { code: answer, operand: allow },
  ]
  const [toNoSuchCall, toPrctl] = [1, 2]
  const targets = [
    ...keyrings.map((call) => ({ call, target: toNoSuchCall })),
    ...prctl.map((call) => ({ call, target: toPrctl })),
  ]
  const checks = targets.map(({ call, target }, at) => ({
    code: jumpIfEqual,
    ifTrue: targets.length - 1 - at + target,
    operand: call,
  }))
  const inside: Instruction[] = [{ code: loadWord, operand: offsetOfCall }, ...checks, ...answers]
  return [{ code: jumpIfEqual, ifFalse: inside.length, operand: architecture }, ...inside]
}

/** As `struct sock_filter` of linux/filter.h on a machine with the low byte first. */
function bytesOf({ code, ifTrue = 0, ifFalse = 0, operand }: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(operand, 4)
  return bytes
}
