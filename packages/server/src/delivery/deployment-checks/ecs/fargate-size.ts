import type { Finding } from '../findings.ts'
import { type TaskDefinition, taskPath } from './task-definition.ts'

const steps = (from: number, to: number, step: number): number[] =>
  Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step)

/**
 * Memory sizes in MiB for each number of CPU units ("Amazon ECS task definition parameters for Fargate", developer
 * guide, read 2026-11).
 */
const memoryByCpu: Readonly<Record<number, readonly number[]>> = {
  256: [512, 1024, 2048],
  512: steps(1024, 4096, 1024),
  1024: steps(2048, 8192, 1024),
  2048: steps(4096, 16_384, 1024),
  4096: steps(8192, 30_720, 1024),
  8192: steps(16_384, 61_440, 4096),
  16384: steps(32_768, 122_880, 8192),
}

/** Checks that Fargate offers the CPU and memory of a task definition. */
export function checkFargateSize(definition: TaskDefinition, isFargate: boolean): Finding[] {
  const needsFargate = isFargate || definition.requiresCompatibilities?.includes('FARGATE') === true
  if (!needsFargate) return []
  const { cpu = '', memory = '' } = definition
  const memories = memoryByCpu[taskSizeOf(cpu, 'vcpu')]
  if (memories?.includes(taskSizeOf(memory, 'gb'))) return []
  const cpus = Object.keys(memoryByCpu).join(', ')
  return [
    {
      severity: 'ERROR',
      code: 'FARGATE_SIZE_INVALID',
      path: taskPath(memories ? 'memory' : 'cpu'),
      message: `Fargate does not offer ${cpu || 'no'} CPU units with ${memory || 'no'} MiB of memory.`,
      remedy: memories
        ? `Use one of these for memory: ${memories.join(', ')} MiB.`
        : `Use one of these for CPU: ${cpus} units.`,
    },
  ]
}

/** Parses a size: `1024`, or `1 vCPU` and `2 GB`, which are 1,024 each. */
export function taskSizeOf(text: string, unit: 'vcpu' | 'gb'): number {
  const [, number = '', given] = /^\s*([\d.]+)\s*([a-z]*)\s*$/i.exec(text) ?? []
  if (given === '') return Number(number)
  return given?.toLowerCase() === unit ? Number(number) * 1024 : Number.NaN
}
