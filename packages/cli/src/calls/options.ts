import { type Command, InvalidArgumentError, Option } from 'commander'
import { outputs } from './output.ts'

export const url = () =>
  new Option('--url <url>', 'where the service is, instead of where you are logged in').env('SLUICE_URL')
export const output = (further: readonly string[] = []) =>
  new Option(
    '-o, --output <format>',
    'print only the result: as a table, JSON, YAML, or its ID; progress goes to stderr',
  ).choices([...outputs, ...further])
export const json = () => new Option('--json', 'the same as --output json').implies({ output: 'json' })
export const timeout = () =>
  new Option('--timeout <seconds>', 'stop waiting after that, with exit code 3').argParser(seconds)
export const untilPaused = () => new Option('--until-paused', 'wait until it is finished or waits for a user')
export const noWaitForApproval = () =>
  new Option('--no-wait-for-approval', 'wait until it is over or nothing but a person has it go on: exit code 4, then')
export const idempotencyKeyOption = () =>
  new Option('--idempotency-key <key>', 'start it once, however often this is called with the key')
export const wait = () => new Option('--wait', 'stay until it is over, and fail if it fails')

/** Creates a command that calls the service, with its common options; `further` are additional output formats. */
export const addServiceCommand = (
  sluice: Command,
  name: string,
  description: string,
  further?: readonly string[],
): Command =>
  sluice.command(name).description(description).addOption(url()).addOption(output(further)).addOption(json())

/** Creates a command that starts or continues something and can follow it. */
export const addFollowCommand = (sluice: Command, name: string, description: string): Command =>
  addServiceCommand(sluice, name, description)
    .addOption(wait())
    .addOption(untilPaused())
    .addOption(noWaitForApproval())
    .addOption(timeout())

export function number(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !(number >= 0)) throw new InvalidArgumentError('Expected a number.')
  return number
}

export function seconds(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !(number > 0)) throw new InvalidArgumentError('Expected a number of seconds above 0.')
  return number
}
