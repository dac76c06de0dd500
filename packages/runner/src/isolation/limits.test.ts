import { expect, test } from 'vitest'
import { createCgroupValues, createPrlimitOptions, defaultLimits, parseHardLimits } from './limits.ts'

const limits = {
  ...defaultLimits,
  cpus: 1.5,
  memoryBytes: 1_000_000,
  processes: 64,
  diskBytes: 2_000_000,
  openFiles: 128,
}
const proc = `Limit                     Soft Limit           Hard Limit           Units
Max file size             unlimited            unlimited            bytes
Max data size             unlimited            unlimited            bytes
Max core file size        0                    0                    bytes
Max processes             96365                40                   processes
Max open files            1024                 524288               files
Max pending signals       96364                96364                signals
Max msgqueue size         819200               1000                 bytes
`

test('limits of a process never exceed those of the runner', () => {
  expect(createPrlimitOptions(limits, parseHardLimits(proc))).toEqual([
    '--nproc=40',
    '--nofile=128',
    '--fsize=2000000',
    '--data=1000000',
    '--core=0',
    '--sigpending=4096',
    '--msgqueue=1000',
  ])
})

test('core dumps are not piped to a program either', () => {
  expect(
    createPrlimitOptions(limits, parseHardLimits(proc.replace(/core file size .*/, 'core file size 0 unlimited'))),
  ).toContain('--core=1')
})

test('a control group limits all processes together', () => {
  expect(createCgroupValues(limits)).toEqual({
    'memory.max': '1000000',
    'memory.swap.max': '0',
    'memory.oom.group': '1',
    'pids.max': '64',
    'cpu.max': '150000 100000',
  })
})
