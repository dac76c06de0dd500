import { differenceNames, placeOfDifference } from '@sluice/calls/difference-place'
import { findModuleInstance, findPipeline } from '@sluice/calls/find'
import type { Client } from '@sluice/client'
import type { IacChangeReasons, ModuleInstanceUpgrade } from '@sluice/contract'
import { reasonInWords, reviewLines } from '@sluice/contract/plan-words'
import { Type } from 'typebox'
import { counted, maxRows } from '../answer.ts'
import { describeRest, firstOf } from '../pages.ts'
import { toWord } from '../quote.ts'
import { defineReadTool, id, idOrGivenId, inputOf } from '../tool.ts'

export const diffRelease = defineReadTool({
  name: 'diff_release',
  title: 'What a deployment changes',
  description:
    'What a deployment releases otherwise than what ran before it, or than another deployment: version, image, commit, module version, inputs, and the rest of the release such as its task definition. Of what looks like a secret, only that it is another one.',
  input: inputOf({
    deploymentId: id('the deployment'),
    against: Type.Optional(id('the deployment to compare it with, instead of what ran before')),
  }),
  needs: 'deployments:read',
  async answer(client, { deploymentId, against }) {
    const query = against === undefined ? {} : { against }
    const { data } = await client.getDeploymentDifferences({ params: { id: deploymentId }, query })
    const { againstDeploymentId: other = 'what ran before it, which is not a known deployment', unknown } = data
    const differences = data.differences.slice(0, maxRows)
    const left = unknown.map((kind) => differenceNames[kind]).join(', ')
    const notCompared = left === '' ? '' : ` Not known of both, and so not compared: ${left}.`
    return {
      says: `${deploymentId} differs in ${counted(data.differences.length, 'thing')} of what is recorded, against ${other}.${describeRest(differences.length, data.differences.length, 'sluice diff shows all of them.')}${notCompared}`,
      lines: differences.map(({ of, path, before, after, isSecret }) => {
        const change = isSecret ? 'another one' : `${textOf(before)} -> ${textOf(after)}`
        return `${toWord(placeOfDifference({ of, path }))}: ${change}`
      }),
      data: { ...data, differences },
    }
  },
})

const textOf = (value: unknown): string =>
  toWord(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'unknown'))

export const diffUpgrade = defineReadTool({
  name: 'diff_upgrade',
  title: 'What a newer module version would change',
  description:
    'What would change if a module instance moved to another version of its module: inputs that are new, gone or have another default, and what it would be refused for. Without a version, the newest one.',
  input: inputOf({
    instance: idOrGivenId('the module instance'),
    moduleVersionId: Type.Optional(id('the module version')),
  }),
  needs: 'module-instances:read',
  async answer(client, { instance, moduleVersionId }) {
    const found = await findModuleInstance(client, instance)
    const version = moduleVersionId ?? (await newestVersionFor(client, found.id))
    const { data } = await client.getModuleInstanceUpgrade({
      params: { id: found.id },
      query: { moduleVersionId: version },
    })
    const { newInputs, removedInputs, changedDefaults, errors } = data
    return {
      says: `${counted(newInputs.length, 'input')} new, ${removedInputs.length} gone, ${changedDefaults.length} with another default; it would be refused for ${counted(errors.length, 'reason')}.`,
      lines: upgradeLines(data),
      data,
    }
  },
})

async function newestVersionFor(client: Client, instanceId: string): Promise<string> {
  const { data: instance } = await client.getModuleInstance({ params: { id: instanceId } })
  const { moduleDefinitionId, moduleVersionId } = instance
  const { data } = await client.listModuleVersions({ query: { moduleDefinitionId, limit: 1 } })
  return data[0]?.id ?? moduleVersionId
}

const upgradeLines = (upgrade: ModuleInstanceUpgrade): string[] => [
  `from ${upgrade.fromVersion} to ${upgrade.toVersion}`,
  ...upgrade.newInputs.map(({ id, type, isRequired }) => `new: ${id} (${type}${isRequired ? ', required' : ''})`),
  ...upgrade.removedInputs.map(({ id, isSet }) => `gone: ${id}${isSet ? ', which the instance sets' : ''}`),
  ...upgrade.changedDefaults.map(({ id, from, to }) => `default: ${id} ${textOf(from)} -> ${textOf(to)}`),
  ...upgrade.errors.map(({ path, message }) => `refused for: ${path} ${message}`),
]

export const diffPlan = defineReadTool({
  name: 'diff_plan',
  title: 'What a run would change in the infrastructure',
  description:
    'What the plans of a run of a pipeline would create, update, replace or delete, resource by resource; of a run that is over, what it did.',
  input: inputOf({ runId: id('the run') }),
  needs: 'iac-resources:read',
  async answer(client, { runId: pipelineRunId }) {
    const why: Record<string, IacChangeReasons> = {}
    const [plans, { rows, total }] = await Promise.all([
      client.listIacPlans({ query: { pipelineRunId, limit: maxRows } }),
      firstOf(maxRows, async (query) => {
        const include = ['change-reasons' as const]
        const request = { ...query, pipelineRunId, changeType: [...changing], include }
        const page = await client.listIacResources({ query: request })
        Object.assign(why, page.included?.['change-reasons'])
        return page
      }),
    ])
    const resources = rows.map(({ id, address, resourceType, changeType, runType, driftStatus, stackId, error }) => ({
      id,
      address,
      resourceType,
      changeType,
      ...why[id],
      runType,
      driftStatus,
      stackId,
      failure: error?.message,
    }))
    return {
      says: `${counted(plans.meta.totalCount, 'plan')}, ${counted(total, 'change')} of resources.${describeRest(rows.length, total, 'the console shows all of them.')}`,
      lines: [
        ...resources.map(({ changeType, address, reasons = [], failure }) => {
          const because = reasons.length > 0 ? ` (${reasons.map(reasonInWords).join(', ')})` : ''
          return `${changeType} ${toWord(address)}${because}${failure ? ` failed: ${toWord(failure)}` : ''}`
        }),
        ...plans.data.flatMap(({ review }) => (review ? reviewLines(review).map(toWord) : [])),
      ],
      data: {
        plans: plans.data.map(({ id, kind, status, stackId, changeCounts, review, cost }) => ({
          id,
          kind,
          status,
          stackId,
          changeCounts,
          review,
          cost,
        })),
        resources,
      },
    }
  },
})

const changing = ['CREATE', 'UPDATE', 'REPLACE', 'DELETE', 'IMPORT', 'FORGET'] as const

export const dryRunPipeline = defineReadTool({
  name: 'dry_run_pipeline',
  title: 'Check a configuration of a pipeline',
  description:
    'Whether a configuration of a pipeline is right, and what it would change against the latest version. Nothing is stored.',
  input: inputOf({
    pipeline: idOrGivenId('the pipeline'),
    config: Type.Record(Type.String(), Type.Unknown(), { description: 'The configuration, as an object.' }),
  }),
  needs: 'pipelines:write',
  async answer(client, { pipeline, config }) {
    const { id: pipelineId } = await findPipeline(client, pipeline)
    const { data } = await client.createPipelineVersion({ body: { data: { pipelineId, config, dryRun: true } } })
    const patch = 'patch' in data ? data.patch : []
    return {
      says: `The configuration is right. It changes ${counted(patch.length, 'place')}; nothing is stored.`,
      lines: patch.slice(0, maxRows).map(({ op, path, pathLabel }) => `${op} ${toWord(pathLabel ?? path)}`),
      data,
    }
  },
})
