import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import type { RehearsalJob, RehearsalOutput } from './job.ts'

/** The program that releases in a simulated cloud: a package of its own, as the server knows no simulated cloud. */
const program = () => createRequire(import.meta.url).resolve('@sluice/rehearsals')

/** Ten scenarios take some 15 s of processor time; a busy machine gives them later. */
const maxMs = 120_000
/** A rehearsal takes some 200 MiB. */
const maxHeapMiB = 512
/** A scenario takes some 100 KiB. */
const maxOutputBytes = 8 * 1024 * 1024
const maxErrorBytes = 16 * 1024

/** Why a rehearsal gave no result. */
export class RehearsalProgramError extends Error {
  override readonly name = 'RehearsalProgramError'
}

/**
 * Runs a rehearsal in a process of its own, which may read files and nothing else: no network, no other processes, no
 * environment. Rejects if it takes too long, too much memory, or fails.
 */
export function runProgram(job: RehearsalJob, signal: AbortSignal): Promise<RehearsalOutput> {
  const limits = ['--permission', '--allow-fs-read=*', `--max-old-space-size=${maxHeapMiB}`]
  const child = spawn(process.execPath, [...limits, program()], {
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: maxMs,
    killSignal: 'SIGKILL',
    signal,
  })
  const output: Buffer[] = []
  let outputBytes = 0
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => {
    outputBytes += chunk.length
    if (outputBytes > maxOutputBytes) child.kill('SIGKILL')
    else output.push(chunk)
  })
  child.stderr.on('data', (chunk: Buffer) => {
    if (errors.length < maxErrorBytes) errors += chunk.toString('utf8')
  })
  child.stdin.on('error', () => {}) // a program that ended early reports that itself
  child.stdin.end(JSON.stringify(job))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, ended) => {
      if (code === 0) return resolve(JSON.parse(Buffer.concat(output).toString('utf8')) as RehearsalOutput)
      const tooLarge = outputBytes > maxOutputBytes ? `its result is larger than ${maxOutputBytes} bytes` : undefined
      const why =
        tooLarge ?? (errors.trim() || `it ended with ${ended ?? code}, at the latest after ${maxMs / 1_000} s`)
      reject(new RehearsalProgramError(why))
    })
  })
}
