import type { Client } from '@sluice/client'
import type { DescribedType, RecordDescription } from '@sluice/contract'

/** Returns the console path of a record below `/console/`: its own page, or the list that contains it. */
export async function consolePageOf(client: Client, { type, id, links }: RecordDescription): Promise<string> {
  if (type === 'pipeline-step-executions') return pageOfStep(client, id)
  const instance = links.find(({ relation }) => relation === 'moduleInstance')?.id
  const isOfInstance = (type === 'stacks' || type === 'iac-resources') && instance !== undefined
  return isOfInstance ? `instances/${encodeURIComponent(instance)}` : pages[type](encodeURIComponent(id))
}

const pages: Record<Exclude<DescribedType, 'pipeline-step-executions'>, (id: string) => string> = {
  'cloud-accounts': () => 'settings/cloud-accounts',
  deployments: (id) => `deployments/${id}`,
  environments: () => 'environments',
  'iac-resources': () => 'environments',
  memberships: () => 'settings/members',
  'module-instances': (id) => `instances/${id}`,
  'pipeline-runs': (id) => `runs/${id}`,
  pipelines: (id) => `pipelines/${id}`,
  projects: (id) => `projects/${id}`,
  'service-accounts': () => 'settings/service-accounts',
  stacks: () => 'environments',
}

async function pageOfStep(client: Client, id: string): Promise<string> {
  const { data: step } = await client.getPipelineStepExecution({ params: { id } })
  return `runs/${encodeURIComponent(step.pipelineRunId)}?${new URLSearchParams({ step: step.stepId })}`
}
