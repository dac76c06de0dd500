import { removeControlCharacters } from '@sluice/calls/control-characters'
import { differenceNames, placeOfDifference } from '@sluice/calls/difference-place'
import { findEnvironment } from '@sluice/calls/find'
import { UsageError } from '@sluice/calls/usage-error'
import type { Client } from '@sluice/client'
import type { DeploymentDifference, DeploymentDifferences } from '@sluice/contract'
import { differenceLines } from '@sluice/server/interface/project-files/print-plan'
import { connect, type UrlOption } from '../connect.ts'
import type { OutputOption } from '../output.ts'
import { printList } from '../print.ts'

type Wishes = UrlOption & OutputOption & { running?: true; from?: string; to?: string }

/**
 * Prints the differences between a deployment and another one, what is running or, by default, its predecessor; or
 * between an instance's releases in two environments.
 */
export async function diff(what: string, other: string | undefined, wishes: Wishes): Promise<void> {
  const client = connect(wishes)
  const [id, against] = await compared(client, { what, other, ...wishes })
  const query = against === undefined ? {} : { against }
  const { data } = await client.getDeploymentDifferences({ params: { id }, query })
  if (wishes.output !== undefined) {
    const columns = ['of', 'path', 'before', 'after', 'isSecret']
    return printList(data.differences, wishes, { whole: data, columns, none: same, nameOf: ({ path }) => path })
  }
  process.stdout.write(`${removeControlCharacters(linesOf(data).join('\n'))}\n`)
}

const same = 'Nothing differs of what is recorded.'

/** Returns the deployment and, if specified, the one to compare it with. */
async function compared(
  client: Client,
  { what, other, running, from, to }: Wishes & { what: string; other: string | undefined },
): Promise<[string, string | undefined]> {
  if (from !== undefined || to !== undefined) {
    if (from === undefined || to === undefined || other !== undefined || running) {
      throw new UsageError('Name an instance, --from one environment and --to another.')
    }
    return [await runningIn(client, what, to), await runningIn(client, what, from)]
  }
  if (!running) return [what, other]
  if (other !== undefined) throw new UsageError('Either another deployment, or --running.')
  const { moduleInstanceId } = (await client.getDeployment({ params: { id: what } })).data
  return [what, await runningOf(client, moduleInstanceId)]
}

/** Returns the id of the running deployment of an instance in an environment. */
async function runningIn(client: Client, instance: string, environment: string): Promise<string> {
  const { id: environmentId, name } = await findEnvironment(client, environment)
  const query = { environmentId, givenId: instance, limit: 1 }
  const [found] = (await client.listModuleInstances({ query })).data
  if (!found) throw new Error(`There is no module instance ${instance} in ${name}.`)
  return runningOf(client, found.id)
}

async function runningOf(client: Client, moduleInstanceId: string): Promise<string> {
  const query = { moduleInstanceId, status: ['SUCCESS' as const], limit: 1 }
  const [last] = (await client.listDeployments({ query })).data
  if (!last) throw new Error(`No deployment of ${moduleInstanceId} has succeeded yet, so what runs is unknown.`)
  return last.id
}

const linesOf = ({ deploymentId, againstDeploymentId, ...compared }: DeploymentDifferences): string[] => [
  `${deploymentId} against ${againstDeploymentId ?? 'what ran before it'}`,
  ...linesOfDifferences(compared),
]

/** Returns one or two lines per difference, and one for what could not be compared. */
export function linesOfDifferences({
  unknown,
  differences,
}: Pick<DeploymentDifferences, 'unknown' | 'differences'>): string[] {
  const left = unknown.filter((kind) => kind !== 'VERSION').map((kind) => differenceNames[kind])
  return [
    ...differences.flatMap(lineOf),
    ...(differences.length === 0 ? [same] : []),
    ...(left.length === 0 ? [] : [`Not known of both, and so not compared: ${left.join(', ')}.`]),
  ]
}

function lineOf({ of, path, isSecret, ...sides }: DeploymentDifference): string[] {
  const named = placeOfDifference({ of, path })
  return isSecret ? [`    ${named}: changed`] : differenceLines({ path: named, ...sides })
}
