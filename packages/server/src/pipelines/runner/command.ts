import { readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { failures, type UserFacingError } from '@sluice/contract'
import { Compile } from 'typebox/compile'
import { faultsOf } from '../../platform/http/faults.ts'
import { type StepWith, stepConfigs } from '../pipeline-versions/config/schema.ts'
import type { Source } from '../pipeline-versions/config/source.ts'
import type { Attempt, Outcome, ProcessResult, Work } from './work.ts'

type Json = Record<string, unknown>

/** Puts the files of a source into an empty directory; answers with the folder that the source says is worked in. */
export type CheckOut = (
  source: Source,
  directory: string,
  attempt: Attempt,
) => Promise<{ directory: string } | { error: UserFacingError }>

/** The variable that names the file for the output. */
const outputVariable = 'SLUICE_OUTPUT'
/** Outputs are read by templates and shown: they are results, not files. Bytes. */
const mostOutput = 256 * 1024
/** What an error shows of a line of the log. Characters. */
const shownOfLine = 2_000

const Rendered = Compile(stepConfigs.command)

/** Carries out steps of the type `command`: runs a program in a clean environment. */
export const commandWork =
  (checkOut: CheckOut): Work =>
  async (attempt) => {
    const given = withTexts(attempt.with)
    const faults = faultsOf(Rendered, given)
    if (faults.length > 0) return failed(notRunnable(attempt, faults))
    const command = given as StepWith<'command'>
    const argv = argvOf(command)
    if (!argv) return failed(notRunnable(attempt, ['$: expected either argv or shell']))

    const place = await placeOf(attempt, command, checkOut)
    if ('error' in place) return failed(place.error)
    const output = join(attempt.directory, 'output.json')
    const env = { ...environmentOf(command.environment_variables), [outputVariable]: output }
    attempt.log(`$ ${command.shell ?? argv.map(shownArgument).join(' ')}`)
    const result = await attempt.process('command', { argv, cwd: place.directory, env })
    if (!('exitCode' in result && result.exitCode === 0)) return failed(commandFailed(attempt, result))
    return readOutput(attempt, output)
  }

const failed = (error: UserFacingError): Outcome => ({ status: 'ERROR', error })

/** A template in an argument may have come to a number: arguments are texts. */
const withTexts = ({ argv, ...rest }: Json): Json => ({
  ...rest,
  ...(argv !== undefined && { argv: Array.isArray(argv) ? argv.map(asText) : argv }),
})

const asText = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : value

function argvOf({ argv = [], shell }: StepWith<'command'>): [string, ...string[]] | undefined {
  const [program, ...args] = argv
  if (shell !== undefined) return program === undefined ? ['sh', '-c', shell] : undefined
  return program === undefined ? undefined : [program, ...args]
}

/** As it stands where it is plain, else so that its bounds are seen. */
const shownArgument = (argument: string): string =>
  /^[\w./:=@%+,-]+$/.test(argument) ? argument : JSON.stringify(argument)

const environmentOf = (variables: StepWith<'command'>['environment_variables'] = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  )

/** The folder that the program runs in; it is one of the source, whatever links there are. */
async function placeOf(
  attempt: Attempt,
  { source, working_directory: wanted = '.' }: StepWith<'command'>,
  checkOut: CheckOut,
): Promise<{ directory: string } | { error: UserFacingError }> {
  const checkedOut = source
    ? await checkOut(source, join(attempt.directory, 'source'), attempt)
    : { directory: attempt.directory }
  if ('error' in checkedOut) return checkedOut
  const root = await realpath(checkedOut.directory)
  const folder = await realpath(join(root, wanted)).catch(() => undefined)
  const isInside = folder !== undefined && (folder === root || folder.startsWith(root + sep))
  if (isInside && (await stat(folder)).isDirectory()) return { directory: folder }
  return {
    error: {
      code: failures.workingDirectoryInvalid.code,
      message: `${JSON.stringify(wanted)} is no folder ${source ? 'of the source' : 'of the step, which has no source'}.`,
      description: 'Give working_directory as a path below base_path.',
    },
  }
}

async function readOutput(attempt: Attempt, file: string): Promise<Outcome> {
  const size = (await stat(file).catch(() => undefined))?.size ?? 0
  if (size === 0) return { status: 'SUCCESS' }
  if (size > mostOutput) return failed(outputInvalid(attempt, `${size} bytes; at most ${mostOutput} are kept`))
  const text = await readFile(file, 'utf8')
  try {
    const output: unknown = JSON.parse(text)
    if (typeof output === 'object' && output !== null && !Array.isArray(output)) {
      return { status: 'SUCCESS', output: output as Json }
    }
    return failed(outputInvalid(attempt, 'it is JSON, but not an object'))
  } catch (error) {
    return failed(outputInvalid(attempt, (error as Error).message))
  }
}

const notRunnable = ({ step }: Attempt, items: string[]): UserFacingError => ({
  code: failures.templateInvalid.code,
  message: `What the templates of the step ${step.stepName} came to cannot be run.`,
  details: [{ title: 'What is wrong in `with`', render: 'list', items }],
})

function commandFailed(attempt: Attempt, result: ProcessResult): UserFacingError {
  const how = 'exitCode' in result ? `with exit code ${result.exitCode}` : `by ${result.signal}`
  const items = attempt.lastLines().map((line) => line.slice(0, shownOfLine))
  return {
    code: failures.commandFailed.code,
    message: `The program of the step ${attempt.step.stepName} ended ${how}.`,
    details: [{ title: 'The end of its log', render: 'list', items }],
    metadata: { ...result },
  }
}

const outputInvalid = ({ step }: Attempt, why: string): UserFacingError => ({
  code: failures.commandOutputInvalid.code,
  message: `What the step ${step.stepName} wrote to the file $${outputVariable} is not its output: ${why}.`,
  description: `Write one JSON object of at most ${mostOutput / 1024} KiB there, or nothing.`,
})
