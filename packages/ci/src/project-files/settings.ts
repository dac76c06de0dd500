import { UsageError } from '@sluice/calls/usage-error'
import { type Inputs, readBoolean } from '../inputs.ts'
import { readService, type Service, serviceInputs } from '../service.ts'

/** Modes: plan the files, apply them, or fail if the service differs from them. */
export const modes = ['plan', 'apply', 'check'] as const
export type Mode = (typeof modes)[number]

/** Settings of a job that plans or applies project files. */
export type Settings = Service & {
  folder: string
  mode: Mode
  /** The project's givenId; empty if the files name the project. */
  project: string
  prunes: boolean
  runsStacks: boolean
  comments: boolean
}

/** Names of the inputs of the action and the component. */
export const inputNames = [
  ...[...serviceInputs, 'folder', 'mode', 'project', 'prune', 'run'],
  ...['comment', 'host_token'],
] as const

export function readSettings(input: Inputs): Settings {
  const folder = input('folder')
  if (folder === '') throw new UsageError('Set folder, where the files of the project are.')
  const mode = modes.find((one) => one === (input('mode') || 'plan'))
  if (mode === undefined) throw new UsageError(`mode is one of ${modes.join(', ')}.`)
  return {
    ...readService(input),
    folder,
    mode,
    project: input('project'),
    prunes: readBoolean(input, 'prune', false),
    runsStacks: readBoolean(input, 'run', true),
    comments: readBoolean(input, 'comment', true),
  }
}
