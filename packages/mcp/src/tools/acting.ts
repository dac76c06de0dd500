import { findModuleInstance, findPipeline } from '@sluice/calls/find'
import type { Deployment, PipelineRun } from '@sluice/contract'
import { Type } from 'typebox'
import { defineWriteTool, id, idOrGivenId, inputOf } from '../tool.ts'
import { lineOf, toRow } from './deployments.ts'

/** Idempotency key for tools that create records. Continuing and cancelling a deployment are idempotent without one. */
const idempotencyKey = Type.String({
  pattern: '^[A-Za-z0-9_.:-]{8,200}$',
  description:
    'A new random text for each thing that is to be done, and the same one when the call for it is repeated: it is done once.',
})
const description = Type.Optional(Type.String({ maxLength: 10_000, description: 'What this is about, for people.' }))
const inputs = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), { description: 'Values by the ids of the inputs, such as image_ref.' }),
)

export const release = defineWriteTool({
  name: 'release',
  title: 'Release a module instance',
  description: 'Releases a version to a module instance. It is queued, runs step by step, and may pause for people.',
  input: inputOf({ instance: idOrGivenId('the module instance'), inputs, description, idempotencyKey }),
  needs: 'deployments:write',
  async answer(client, { instance, inputs = {}, description = 'Released by an agent', idempotencyKey }) {
    const { id: moduleInstanceId } = await findModuleInstance(client, instance)
    const body = { data: { moduleInstanceId, description, inputs } }
    const { data } = await client.createDeployment({ body }, { idempotencyKey })
    return answerOf(data, 'was accepted; explain_deployment shows its progress.')
  },
})

export const continueDeployment = defineWriteTool({
  name: 'continue_deployment',
  title: 'Continue a paused deployment',
  description:
    'Continues a paused deployment. Ask the user before you do. Sluice rejects it if the rules require a person.',
  input: inputOf({
    deploymentId: id('the deployment'),
    hookId: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The pause as explain_deployment returned it, so that a later one is not continued by mistake.',
    }),
  }),
  needs: 'approvals:write',
  async answer(client, { deploymentId, hookId }) {
    const request = { params: { id: deploymentId }, body: { data: { hookId } } }
    const { data } = await client.continueDeployment(request)
    return answerOf(data, 'goes on.')
  },
})

export const cancelDeployment = defineWriteTool({
  name: 'cancel_deployment',
  title: 'Cancel a deployment',
  description: 'Cancels a deployment that is not over; what was released of it so far is taken back.',
  input: inputOf({ deploymentId: id('the deployment') }),
  needs: 'deployments:write',
  async answer(client, { deploymentId }) {
    const { data } = await client.cancelDeployment({ params: { id: deploymentId } })
    return answerOf(data, 'is called off; explain_deployment tells when that is done.')
  },
})

export const rollBack = defineWriteTool({
  name: 'roll_back',
  title: 'Roll back a deployment',
  description:
    'Returns from a deployment to the last success before it, or to an earlier one that is named; never to a newer release than runs now.',
  input: inputOf({
    deploymentId: id('the deployment to return from'),
    toDeploymentId: Type.Optional(id('the successful deployment to return to')),
    idempotencyKey,
  }),
  needs: 'deployments:write',
  async answer(client, { deploymentId, idempotencyKey, ...data }) {
    const request = { params: { id: deploymentId }, body: { data } }
    const { data: accepted } = await client.rollbackDeployment(request, { idempotencyKey })
    return answerOf(accepted, `returns from ${deploymentId}; explain_deployment shows its progress.`)
  },
})

export const startRun = defineWriteTool({
  name: 'start_run',
  title: 'Start a run of a pipeline',
  description: 'Starts a run of the latest version of a pipeline. Its steps may wait for people to approve them.',
  input: inputOf({ pipeline: idOrGivenId('the pipeline'), inputs, description, idempotencyKey }),
  needs: 'pipeline-runs:write',
  async answer(client, { pipeline, inputs = {}, description = 'Started by an agent', idempotencyKey }) {
    const { id: pipelineId } = await findPipeline(client, pipeline)
    const body = { data: { pipelineId, inputs, description } }
    const { data } = await client.createPipelineRun({ body }, { idempotencyKey })
    return runAnswer(data)
  },
})

const answerOf = (deployment: Deployment, becomes: string) => ({
  says: `${deployment.id} ${becomes}`,
  lines: [lineOf(toRow(deployment))],
  data: { deployment: toRow(deployment) },
})

const runAnswer = ({ id, status, pipelineId, createdAt }: PipelineRun) => ({
  says: `${id} was started; explain_run shows its progress.`,
  lines: [],
  data: { run: { id, status, pipelineId, createdAt } },
})
