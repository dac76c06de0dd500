import { findModuleInstance, findPipeline } from '@sluice/calls/find'
import { UsageError } from '@sluice/calls/usage-error'
import type { CreatePolicy, Policy, PolicyGuards } from '@sluice/contract'
import { connect, type UrlOption } from '../connect.ts'
import { documentIn } from '../fields.ts'
import type { OutputOption } from '../output.ts'
import { printAnswer, printer, printList } from '../print.ts'

/** Prints the newest 100 policies, or the bundled ones. */
export async function listPolicies(wishes: UrlOption & OutputOption & { bundled?: true }): Promise<void> {
  const client = connect(wishes)
  if (wishes.bundled) {
    const answer = await client.listBundledPolicies()
    const columns = ['id', 'guards', 'effect', 'name', 'description']
    return printList(answer.data, wishes, { whole: answer, columns, none: 'There are none.' })
  }
  const answer = await client.listPolicies({ query: { limit: 100 } })
  const columns = ['id', 'version', 'guards', 'effect', 'place', 'name']
  printList(answer.data, wishes, { whole: answer, columns, none: 'There are no policies.', toRow })
}

const toRow = ({ effect, isEnabled, ...rest }: Policy) => ({
  ...rest,
  effect: isEnabled ? effect : 'off',
  place: rest.moduleInstanceId ?? rest.environmentId ?? rest.projectId ?? 'everything',
})

type Place = { project?: string; environment?: string; instance?: string }

/** Creates a policy from a file or a bundled one. */
export async function createPolicy(
  file: string | undefined,
  wishes: UrlOption & OutputOption & Place & { bundled?: string; warn?: true },
): Promise<void> {
  const client = connect(wishes)
  const given = file === undefined ? await bundledOne(client, wishes.bundled) : documentIn(file)
  const place = await placeOf(client, wishes)
  // The service validates it.
  const data = { ...given, ...place, ...(wishes.warn && { effect: 'WARN' }) } as CreatePolicy
  const { data: made } = await client.createPolicy({ body: { data } })
  const out = printer(wishes)
  out.say(`${made.id} judges ${made.guards} from now on`)
  out.record(made)
}

type Client = ReturnType<typeof connect>

async function bundledOne(client: Client, id: string | undefined): Promise<object> {
  if (id === undefined) throw new UsageError('Name a file, or a policy of `sluice policy list --bundled`.')
  const { data } = await client.listBundledPolicies()
  const found = data.find((one) => one.id === id)
  if (!found)
    throw new UsageError(`There is no bundled policy ${id}; there are ${data.map((one) => one.id).join(', ')}.`)
  const { id: _, ...policy } = found
  return policy
}

const placeOf = async (client: Client, { project, environment, instance }: Place) => ({
  ...(project !== undefined && { projectId: project }),
  ...(environment !== undefined && { environmentId: environment }),
  ...(instance !== undefined && { moduleInstanceId: (await findModuleInstance(client, instance)).id }),
})

export async function showPolicy(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  const { data } = await connect(wishes).getPolicy({ params: { id } })
  printAnswer(data, wishes)
}

export async function deletePolicy(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  await connect(wishes).deletePolicy({ params: { id } })
  printer(wishes).say(`${id} is deleted`)
}

type Exception = { reason: string; instance?: string; pipeline?: string; minutes?: number }

/** Overrides a policy for some time. */
export async function overridePolicy(id: string, wishes: UrlOption & OutputOption & Exception): Promise<void> {
  const { reason, instance, pipeline, minutes } = wishes
  const client = connect(wishes)
  const data = {
    reason,
    ...(instance !== undefined && { moduleInstanceId: (await findModuleInstance(client, instance)).id }),
    ...(pipeline !== undefined && { pipelineId: (await findPipeline(client, pipeline)).id }),
    ...(minutes !== undefined && { minutes }),
  }
  const { data: made } = await client.createPolicyOverride({ params: { id }, body: { data } })
  const out = printer(wishes)
  out.say(`${instance ?? pipeline ?? 'Everything'} may pass ${id} until ${made.until}`)
  out.record(made)
}

/** Prints what a stored policy, or one in a file, would have blocked. */
export async function dryRunPolicy(
  policy: string,
  wishes: UrlOption & OutputOption & Place & { count: number },
): Promise<void> {
  const client = connect(wishes)
  const isSaved = /^pol_\w+$/.test(policy)
  const given: Partial<Policy> = isSaved
    ? (await client.getPolicy({ params: { id: policy } })).data
    : documentIn(policy)
  const { guards = 'DEPLOYMENTS', expression = '', rollbacks = false } = given
  const named = await placeOf(client, wishes)
  const place = Object.keys(named).length > 0 ? named : ownPlace(given)
  const data = { guards, expression, rollbacks, count: wishes.count, ...place }
  const answer = await client.dryRunPolicy({ body: { data } })
  const { evaluatedCount, blocked, since } = answer.data
  const { noun, columns: ids } = pastOf[guards]
  const count = `${blocked.length} of ${evaluatedCount} ${noun}${since ? ` since ${since}` : ''}`
  process.stderr.write(`It would have blocked ${count}.\n`)
  const columns = [...ids, 'createdAt', 'verdict', 'reason']
  printList(blocked, wishes, {
    whole: answer,
    columns,
    none: 'None of them.',
    nameOf: ({ deploymentId, iacPlanId, pipelineVersionId }) => deploymentId ?? iacPlanId ?? pipelineVersionId ?? '',
  })
}

/** Resources on which a policy is dry-run, with their identifying columns. */
const pastOf = {
  DEPLOYMENTS: { noun: 'deployments', columns: ['deploymentId'] },
  PLANS: { noun: 'plans', columns: ['iacPlanId', 'pipelineRunId'] },
  PIPELINE_VERSIONS: { noun: 'versions', columns: ['pipelineVersionId', 'pipelineId'] },
} as const satisfies Record<PolicyGuards, { noun: string; columns: readonly string[] }>

const ownPlace = ({ projectId, environmentId, moduleInstanceId }: Partial<Policy>) => ({
  ...(projectId !== undefined && { projectId }),
  ...(environmentId !== undefined && { environmentId }),
  ...(moduleInstanceId !== undefined && { moduleInstanceId }),
})
