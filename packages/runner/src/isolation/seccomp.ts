/** The system calls of one architecture that are not for programs. */
type Denied = {
  /** What the kernel calls the architecture: `AUDIT_ARCH_…` of linux/audit.h. */
  architecture: number
  /** `add_key`, `request_key` and `keyctl`, from the tables of system calls of Linux. */
  calls: readonly number[]
}

const keysOfX64 = [248, 249, 250]
/** The same calls with pointers of 32 bits: `__X32_SYSCALL_BIT` of linux/unistd.h. */
const x32 = 0x4000_0000

/** By `process.arch`, with the older architecture whose programs such a machine runs too. */
const denied: Record<string, readonly Denied[]> = {
  x64: [
    { architecture: 0xc000_003e, calls: [...keysOfX64, ...keysOfX64.map((call) => call + x32)] },
    { architecture: 0x4000_0003, calls: [286, 287, 288] },
  ],
  arm64: [
    { architecture: 0xc000_00b7, calls: [217, 218, 219] },
    { architecture: 0x4000_0028, calls: [309, 310, 311] },
  ],
}

// linux/bpf_common.h, linux/seccomp.h and asm-generic/errno.h.
const [loadWord, jumpIfEqual, answer] = [0x20, 0x15, 0x06]
const [offsetOfCall, offsetOfArchitecture] = [0, 4]
const allow = 0x7fff_0000
/** The calls seem not to exist: programs do without keyrings then, as on kernels that were built without. */
const noSuchCall = 0x0005_0000 + 38

type Instruction = { code: number; ifTrue?: number; ifFalse?: number; operand: number }

/**
 * Returns a filter for `--seccomp` of bubblewrap that keeps programs from keyrings of the kernel; undefined for an
 * architecture that is not known. Keyrings belong to users and sessions, and no namespace separates them: a program
 * would find the keys of whoever started the runner, and those of programs before it.
 */
export function keyringFilter(architecture: string = process.arch): Buffer | undefined {
  const known = denied[architecture]
  if (!known) return undefined
  return Buffer.concat([
    bytesOf({ code: loadWord, operand: offsetOfArchitecture }),
    ...known.flatMap((one) => instructionsFor(one)).map(bytesOf),
    bytesOf({ code: answer, operand: noSuchCall }), // of a call of any other architecture
  ])
}

/** Skipped as a whole by calls of another architecture. */
function instructionsFor({ architecture, calls }: Denied): Instruction[] {
  const checks = calls.map((operand, at) => ({ code: jumpIfEqual, ifTrue: calls.length - at, operand }))
  const inside: Instruction[] = [
    { code: loadWord, operand: offsetOfCall },
    ...checks,
    { code: answer, operand: allow },
    { code: answer, operand: noSuchCall },
  ]
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
