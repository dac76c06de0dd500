/** System call numbers of one architecture, from the tables of Linux. */
type Calls = {
  /** The kernel's number for the architecture: `AUDIT_ARCH_…` of linux/audit.h. */
  architecture: number
  /** `add_key`, `request_key` and `keyctl`. */
  keyrings: readonly number[]
  prctl: readonly number[]
}

const keyringsOfX64 = [248, 249, 250]
const prctlOfX64 = 157
/** Bit of the same calls with 32-bit pointers: `__X32_SYSCALL_BIT` of linux/unistd.h. */
const x32 = 0x4000_0000

/** System calls by `process.arch`, including the older architecture whose programs such a machine runs too. */
const callsByArchitecture: Record<string, readonly Calls[]> = {
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
/** Makes a call appear not to exist. Programs then work without keyrings, as on kernels without them. */
const noSuchCall = 0x0005_0000 + 38
/** Skips a call and reports success. */
const pretendSuccess = 0x0005_0000
/** `PR_SET_DUMPABLE` of linux/prctl.h. The files and memory of a process that is not dumpable cannot be counted. */
const setDumpable = 4

type Instruction = { code: number; ifTrue?: number; ifFalse?: number; operand: number }

/**
 * Returns a filter of system calls for `--seccomp` of bubblewrap; undefined for an unknown architecture. Blocks the
 * kernel's keyrings, which belong to users and sessions and are not separated by namespaces: a program could read the
 * keys of the operator and of earlier programs. Also prevents processes from hiding their usage from a runner that is
 * not root. That disables no core dumps, because there are none.
 */
export function createSystemCallFilter(architecture: string = process.arch): Buffer | undefined {
  const known = callsByArchitecture[architecture]
  if (!known) return undefined
  return Buffer.concat([
    encodeInstruction({ code: loadWord, operand: offsetOfArchitecture }),
    ...known.flatMap((one) => createInstructions(one)).map(encodeInstruction),
    encodeInstruction({ code: answer, operand: noSuchCall }), // any other architecture
  ])
}

/** Returns the instructions for one architecture. Calls of other architectures skip all of them. */
function createInstructions({ architecture, keyrings, prctl }: Calls): Instruction[] {
  const answers: Instruction[] = [
    { code: answer, operand: allow },
    { code: answer, operand: noSuchCall },
    { code: loadWord, operand: offsetOfArgument },
    { code: jumpIfEqual, ifFalse: 1, operand: setDumpable },
    { code: answer, operand: pretendSuccess },
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

/** Encodes `struct sock_filter` of linux/filter.h for a little-endian machine. */
function encodeInstruction({ code, ifTrue = 0, ifFalse = 0, operand }: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(operand, 4)
  return bytes
}
