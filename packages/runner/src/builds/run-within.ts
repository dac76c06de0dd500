import type { Attempt, Command } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { endOfLog } from '../log/last-lines.ts'

/** The exit code of `timeout` for a command that took too long. */
const tookTooLong = 124
/** What a command has to end by itself then. Seconds. */
const toEndWithin = 10

/** In the foreground it stays in the group of processes that is told to stop when the attempt is. */
const limited = (argv: Command['argv'], seconds: number | undefined): Command['argv'] =>
  seconds === undefined ? argv : ['timeout', '--foreground', `--kill-after=${toEndWithin}`, String(seconds), ...argv]

/**
 * Runs a command of a build to its end, which must be a good one and in time. `starter` is what starts it, whose time
 * does not count.
 */
export async function runWithin(
  attempt: Attempt,
  name: string,
  command: Command,
  seconds: number | undefined,
  starter: readonly string[] = [],
): Promise<void> {
  const [program, ...rest] = [...starter, ...limited(command.argv, seconds)] as [string, ...string[]]
  const result = await attempt.process(name, { ...command, argv: [program, ...rest] })
  const exitCode = 'exitCode' in result ? result.exitCode : undefined
  if (exitCode === 0) return
  if (seconds !== undefined && exitCode === tookTooLong) {
    throw new StepFailure('stepTimedOut', `The ${name} command of the build was not done in ${seconds} s.`, {
      description: 'The timeout of the build block says how long each of its commands may take.',
      details: [endOfLog(attempt)],
    })
  }
  const how = 'exitCode' in result ? `with exit code ${exitCode}` : `by ${result.signal}`
  throw new StepFailure('buildCommandFailed', `The ${name} command of the build ended ${how}.`, {
    details: [endOfLog(attempt)],
    metadata: { command: name, ...result },
  })
}
