import { Compile } from 'typebox/compile'
import type { Database } from '../../platform/db/open.ts'
import { faultsOf } from '../../platform/http/faults.ts'
import { type StepWith, stepConfigs } from '../pipeline-versions/config/schema.ts'
import { artifactsOf } from '../step-artifacts/order.ts'
import { environmentOf } from './environment.ts'
import type { AttemptToOrder, MakeOrder } from './order.ts'
import { sourceOf } from './source.ts'
import { StepFailure } from './step-failure.ts'

type Json = Record<string, unknown>

const Rendered = Compile(stepConfigs.command)

/** Creates the runner's instructions for a step of the type `command`. */
export const commandOrder =
  (ofOrganization: Database['ofOrganization']): MakeOrder =>
  async (attempt) => {
    const { organizationId } = attempt.step
    const given = withTexts(attempt.with)
    const faults = faultsOf(Rendered, given)
    if (faults.length > 0) throw notRunnable(attempt, faults)
    const command = given as StepWith<'command'>
    const { shell, source, working_directory: workingDirectory = '.' } = command
    const argv = argvOf(command)
    const db = ofOrganization(organizationId)
    if (!argv) throw notRunnable(attempt, ['$: expected either argv or shell'])
    return {
      order: {
        kind: 'command',
        argv,
        shell,
        env: environmentOf(command.environment_variables),
        workingDirectory,
        source: source && (await sourceOf(db, organizationId, source, 'sourceUnavailable')),
        artifacts: await artifactsOf(db, attempt, command),
      },
    }
  }

/** Converts arguments to text, because a template may have rendered to a number. */
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

const notRunnable = ({ step }: AttemptToOrder, items: string[]): StepFailure =>
  new StepFailure('templateInvalid', `The templates of the step ${step.stepName} rendered an invalid command.`, {
    details: [{ title: 'What is wrong in `with`', render: 'list', items }],
  })
