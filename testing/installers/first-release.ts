import { readFile } from 'node:fs/promises'
import { waitUntilServicesStable } from '@aws-sdk/client-ecs'
import { type Client, waitForDeployment, waitForRun } from '@sluice/client'
import { SimControl } from '@sluice/cloud-sim'
import { openCloud } from '@sluice/server/cloud/adapter/access'
import { createService, createStage, shopRoles } from '@sluice/server/demo/cloud'
import { connectRolePolicy } from '@sluice/server/testing/connect-role'
import { parse } from 'yaml'

const region = 'eu-west-1'
const accountNumber = '123456789012'
const moduleFile = new URL('../../packages/server/src/testing/container-service.yaml', import.meta.url)

/** Prepares a release as in docs/tutorials/first-release.md. Returns the id of the module instance. */
export async function prepareRelease(client: Client, cloudUrl: string): Promise<string> {
  const sim = new SimControl(cloudUrl)
  const roleArn = `arn:aws:iam::${accountNumber}:role/sluice`
  const account = await client.createCloudAccount({ body: { data: { givenId: 'production', name: 'Production' } } })
  const params = { id: account.data.id }
  const { externalId } = (await client.getConnectionLink({ params })).data
  await sim.putRole({ roleArn, externalId, policy: connectRolePolicy(roleArn) })
  await client.connectCloudAccount({ params, body: { data: { roleArn } } })

  const ownerArn = `arn:aws:iam::${accountNumber}:role/owner`
  await sim.putRole({ roleArn: ownerArn, externalId })
  for (const role of shopRoles(accountNumber)) await sim.putRole(role)
  const input = await createCloudService(cloudUrl, { roleArn: ownerArn, externalId })

  const definition = { type: 'container-service', name: 'Container service', description: 'A service.' }
  const { id: moduleDefinitionId } = (await client.createModuleDefinition({ body: { data: definition } })).data
  const config = parse(await readFile(moduleFile, 'utf8')) as Record<string, unknown>
  const version = { moduleDefinitionId, version: '1.0.0', description: 'First', config }
  await client.createModuleVersion({ body: { data: version } })
  const project = await client.createProject({ body: { data: { givenId: 'shop', name: 'Shop' } } })
  const environment = await client.createEnvironment({
    body: { data: { projectId: project.data.id, givenId: 'production', name: 'Production' } },
  })
  const instance = await client.createModuleInstance({
    body: { data: { environmentId: environment.data.id, moduleDefinitionId, givenId: 'hello', name: 'Hello', input } },
  })
  return instance.data.id
}

/** Releases an image. Returns the final status of the deployment, followed by its error if there is one. */
export async function release(client: Client, moduleInstanceId: string, image: string): Promise<string> {
  const data = { moduleInstanceId, description: `Release ${image}`, inputs: { image_ref: image } }
  const deployment = await client.createDeployment({ body: { data } })
  const { status, error } = await waitForDeployment(client, deployment.data.id)
  return error ? `${status}: ${JSON.stringify(error)}` : status
}

/** Creates a running service in the cloud, independently of Sluice. */
async function createCloudService(endpoint: string, owner: { roleArn: string; externalId: string }) {
  process.env.AWS_ACCESS_KEY_ID = 'operator'
  process.env.AWS_SECRET_ACCESS_KEY = 'operator'
  const access = openCloud({ endpoint })
  const clients = access.clientsFor({ id: 'owner', organizationId: 'owner', ...owner }, region)
  const stage = await createStage(clients, 'shop')
  const input = await createService(clients, stage, { name: 'hello', image: 'shop/hello:1', strategy: null })
  const service = { cluster: input.cluster_arn, services: [input.service_arn] }
  await waitUntilServicesStable({ client: clients.ecs, maxWaitTime: 60, minDelay: 1, maxDelay: 1 }, service)
  access.close()
  return input
}

/** Creates a pool of runners for all steps and returns a token for its runners. */
export async function createRunnerPool(client: Client): Promise<string> {
  const pool = { kind: 'runners', givenId: 'pool', name: 'Pool' } as const
  const { id: executionEnvironmentId } = (await client.createExecutionEnvironment({ body: { data: pool } })).data
  const parentId = (await client.whoami()).data.organizationId
  const assignment = { parentType: 'organization', parentId, executionEnvironmentId } as const
  await client.createExecutionAssignment({ body: { data: assignment } })
  return (await client.createRunnerToken({ body: { data: { executionEnvironmentId, name: 'Runners' } } })).data.token
}

/** Runs a pipeline with one `command` step. Returns its log and the final status. */
export async function runCommandStep(client: Client): Promise<{ status: string; log: string }> {
  const [project] = (await client.listProjects()).data
  const pipeline = { projectId: project?.id ?? '', givenId: 'hello', name: 'Hello' }
  const { id: pipelineId } = (await client.createPipeline({ body: { data: pipeline } })).data
  const step = { id: 'hello', type: 'command', with: { shell: 'echo "hello from $(uname -n)"' } }
  await client.createPipelineVersion({ body: { data: { pipelineId, config: { steps: [step] } } } })
  const run = await client.createPipelineRun({ body: { data: { pipelineId } } })
  const { status } = await waitForRun(client, run.data.id)
  const steps = await client.listPipelineStepExecutions({ query: { pipelineRunId: run.data.id } })
  const logs = await client.getPipelineStepExecutionLogs({ params: { id: steps.data[0]?.id ?? '' } })
  return { status, log: JSON.stringify(logs) }
}
