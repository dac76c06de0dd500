import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

export type Captured = { stdout: string; stderr: string; exitCode: number | null }

/** Runs a short program that only reads, and takes what it writes. It is stopped on abort. */
export async function capture(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env, signal }: { cwd: string; env: Record<string, string>; signal: AbortSignal },
): Promise<Captured> {
  const child = spawn(program, args, { cwd, env, signal, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { stdout, stderr, exitCode }
}
