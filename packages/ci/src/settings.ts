import { UsageError } from '@sluice/calls/usage-error'
import { type Inputs, readBoolean } from './inputs.ts'
import { readService, type Service, serviceInputs } from './service.ts'

/** Settings of a job that releases or runs a pipeline. */
export type Settings = Service & {
  target: { kind: 'instance' | 'pipeline'; name: string }
  inputs: Record<string, unknown>
  description: string
  waits: boolean
  timeoutMs: number
  cancels: boolean
  comments: boolean
}

/** Names of the inputs of the action and the component. */
export const inputNames = [
  ...[...serviceInputs, 'instance', 'pipeline', 'inputs', 'description'],
  ...['wait', 'timeout_minutes', 'cancel', 'comment', 'host_token'],
] as const

export function readSettings(input: Inputs): Settings {
  const [instance, pipeline] = [input('instance'), input('pipeline')]
  if ((instance === '') === (pipeline === '')) throw new UsageError('Set either instance or pipeline.')
  const service = readService(input)
  const minutes = Number(input('timeout_minutes') || '60')
  if (!(minutes > 0)) throw new UsageError('timeout_minutes is a number above 0.')
  return {
    ...service,
    target: instance === '' ? { kind: 'pipeline', name: pipeline } : { kind: 'instance', name: instance },
    inputs: inputsIn(input('inputs')),
    description: input('description') || 'Released from CI',
    waits: readBoolean(input, 'wait', true),
    timeoutMs: minutes * 60_000,
    cancels: readBoolean(input, 'cancel', true),
    comments: readBoolean(input, 'comment', true),
  }
}

/**
 * Parses lines such as `image_ref=web:2` (text) and `replicas:=3` (JSON). Reads no files, because others may write the
 * lines.
 */
function inputsIn(text: string): Record<string, unknown> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const pairs = lines.map((line): [string, unknown] => {
    const { name, kind, value = '' } = /^\s*(?<name>[\w.-]+)(?<kind>:?=)(?<value>.*?)\s*$/.exec(line)?.groups ?? {}
    if (name === undefined) throw new UsageError('Each line of inputs is name=text or name:=JSON.')
    return [name, kind === ':=' ? jsonOf(name, value) : value]
  })
  return Object.fromEntries(pairs)
}

function jsonOf(name: string, value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw new UsageError(`The input ${name} is not JSON.`)
  }
}
