import type { Attempt, Command } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { createLogDetail } from '../log/log-detail.ts'

/** Exit code of `timeout` for a command that timed out. */
const timeoutExitCode = 124
/** Time for a command to exit after its timeout, before it is killed. */
const killAfterSeconds = 10

/**
 * Adds a timeout to a command. `--foreground` keeps it in the process group that is signalled when the attempt stops.
 */
const addTimeout = (argv: Command['argv'], seconds: number | undefined): Command['argv'] =>
  seconds === undefined
    ? argv
    : ['timeout', '--foreground', `--kill-after=${killAfterSeconds}`, String(seconds), ...argv]

/**
 * Runs a command of a build. The time of `starter`, a command prefix, does not count.
 *
 * @throws {StepFailure} if the command fails or times out
 */
export async function runWithTimeout(
  attempt: Attempt,
  name: string,
  command: Command,
  seconds: number | undefined,
  starter: readonly string[] = [],
): Promise<void> {
  const [program, ...rest] = [...starter, ...addTimeout(command.argv, seconds)] as [string, ...string[]]
  const result = await attempt.runProgram(name, { ...command, argv: [program, ...rest] })
  const exitCode = 'exitCode' in result ? result.exitCode : undefined
  if (exitCode === 0) return
  if (seconds !== undefined && exitCode === timeoutExitCode) {
    throw new StepFailure('stepTimedOut', `The ${name} command of the build timed out after ${seconds} s.`, {
      description: 'To allow more time per command, increase the timeout of the build block.',
      details: [createLogDetail(attempt)],
    })
  }
  const how = 'exitCode' in result ? `with exit code ${exitCode}` : `by ${result.signal}`
  throw new StepFailure('buildCommandFailed', `The ${name} command of the build ended ${how}.`, {
    details: [createLogDetail(attempt)],
    metadata: { command: name, ...result },
  })
}
