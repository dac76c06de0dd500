import { CalledWrongly } from '@sluice/calls/called-wrongly'
import { type Inputs, isSaid } from '../inputs.ts'
import { readService, type Service, serviceInputs } from '../service.ts'

/** What is done about files: shown, done, or shown as a fault where the service is not as they say. */
export const modes = ['plan', 'apply', 'check'] as const
export type Mode = (typeof modes)[number]

/** What a job asks for. */
export type Settings = Service & {
  folder: string
  mode: Mode
  /** By its givenId; empty where the files name it. */
  project: string
  prunes: boolean
  runsStacks: boolean
  comments: boolean
}

/** The names under which the action and the component hand over what a job says. */
export const inputNames = [
  ...[...serviceInputs, 'folder', 'mode', 'project', 'prune', 'run'],
  ...['comment', 'host_token'],
] as const

export function readSettings(input: Inputs): Settings {
  const folder = input('folder')
  if (folder === '') throw new CalledWrongly('Set folder, where the files of the project are.')
  const mode = modes.find((one) => one === (input('mode') || 'plan'))
  if (mode === undefined) throw new CalledWrongly(`mode is one of ${modes.join(', ')}.`)
  return {
    ...readService(input),
    folder,
    mode,
    project: input('project'),
    prunes: isSaid(input, 'prune', false),
    runsStacks: isSaid(input, 'run', true),
    comments: isSaid(input, 'comment', true),
  }
}
