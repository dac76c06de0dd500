import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { createSystemCallFilter } from './seccomp.ts'

const [allow, noSuchCall, pretend] = [0x7fff_0000, 0x0005_0026, 0x0005_0000]

/** Interprets the filter as the kernel does. */
function answerOf(filter: Buffer, architecture: number, call: number, argument = 0): number {
  let held = 0
  for (let at = 0; at < filter.length; at += 8) {
    const [code, operand] = [filter.readUInt16LE(at), filter.readUInt32LE(at + 4)]
    if (code === 0x06) return operand
    if (code === 0x20) held = { 0: call, 4: architecture, 16: argument }[operand] ?? Number.NaN
    if (code === 0x15) at += 8 * filter.readUInt8(held === operand ? at + 2 : at + 3)
  }
  throw new Error('the filter has no end')
}

test(
  'only the system calls for keyrings are filtered, on all architectures',
  everyCase(
    [
      ['x64', 0xc000003e, [247, 251, 0, 59], allow],
      ['x64', 0xc000003e, [248, 249, 250, 0x40000000 + 248, 0x40000000 + 250], noSuchCall],
      ['x64', 0x40000003, [285, 289, 248], allow],
      ['x64', 0x40000003, [286, 287, 288], noSuchCall],
      ['x64', 0xc00000b7, [0], noSuchCall],
      ['arm64', 0xc00000b7, [216, 220], allow],
      ['arm64', 0xc00000b7, [217, 218, 219], noSuchCall],
      ['arm64', 0x40000028, [309, 310, 311], noSuchCall],
    ] as const,
    (machine, architecture, calls, expected) => {
      const filter = createSystemCallFilter(machine) ?? Buffer.alloc(0)
      for (const call of calls) expect(answerOf(filter, architecture, call)).toBe(expected)
    },
  ),
)

test(
  'programs cannot hide their resource usage',
  everyCase(
    [
      ['x64', 0xc000003e, 157],
      ['x64', 0xc000003e, 0x40000000 + 157],
      ['x64', 0x40000003, 172],
      ['arm64', 0xc00000b7, 167],
      ['arm64', 0x40000028, 172],
    ] as const,
    (machine, architecture, prctl) => {
      const filter = createSystemCallFilter(machine) ?? Buffer.alloc(0)
      expect(answerOf(filter, architecture, prctl, 4)).toBe(pretend)
      expect(answerOf(filter, architecture, prctl, 38)).toBe(allow)
      expect(answerOf(filter, architecture, prctl + 1, 4)).toBe(allow)
    },
  ),
)

test('an unknown architecture has no filter', () => {
  expect(createSystemCallFilter('s390x')).toBeUndefined()
})
