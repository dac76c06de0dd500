import type { NotificationEvent, SubscribableType } from '@sluice/contract'

/** Describes events, as a verb phrase after the record's name. */
const eventPhrases = {
  'deployment.approval_requested': 'waits for approval',
  'deployment.started': 'is being deployed',
  'deployment.frozen': 'is blocked by a freeze',
  'deployment.paused': 'is paused',
  'deployment.approval_expires_soon': 'still waits for approval',
  'deployment.pause_expires_soon': 'is still paused',
  'deployment.succeeded': 'is live',
  'deployment.failed': 'failed',
  'deployment.rolled_back': 'was rolled back',
  'deployment.cancelled': 'was cancelled',
  'pipeline_run.approval_requested': 'waits for approval',
  'pipeline_run.version_approval_requested': 'waits for approval of its version',
  'pipeline_run.approval_expires_soon': 'still waits for approval',
  'pipeline_run.frozen': 'is blocked by a freeze',
  'pipeline_run.succeeded': 'succeeded',
  'pipeline_run.failed': 'failed',
  'pipeline_run.cancelled': 'was cancelled',
  'hold.placed': 'is held',
  'hold.lifted': 'is no longer held',
  'stack.drifted': 'has drifted',
  'files.drifted': 'has drifted from its files',
  'preview.teardown_failed': 'couldn’t be torn down',
  'cloud_account.disconnected': 'was disconnected',
  'cloud_account.connected': 'was connected',
  'certificate.expires_soon': 'expires soon',
  'certificate.unusable': 'can’t be used',
} as const satisfies Record<SubscribableType, string>

export const feedEventTypes = Object.keys(eventPhrases) as SubscribableType[]

type Payload = NotificationEvent['payload']

export const describeEvent = (type: Payload['type']): string =>
  Object.hasOwn(eventPhrases, type) ? eventPhrases[type as SubscribableType] : ''

type Page = '/console/deployments/$id' | '/console/runs/$id' | '/console/instances/$id' | '/console/projects/$id'

/** Record that an event is about, with its page. */
export type Subject = { name: string; to?: Page; id?: string }

export function eventSubject({ data }: Payload): Subject {
  if ('deploymentId' in data) {
    const name = `${data.moduleInstance.name} · ${data.environment.name}`
    return { name, to: '/console/deployments/$id', id: data.deploymentId }
  }
  if ('pipeline' in data) {
    const run = `${data.pipeline.name} #${data.number}`
    return { name: data.step ? `${run} · ${data.step.name}` : run, to: '/console/runs/$id', id: data.pipelineRunId }
  }
  if ('stack' in data) return { name: data.stack.name, to: '/console/runs/$id', id: data.pipelineRunId }
  if ('holdId' in data) {
    const { moduleInstance, environment } = data
    if (!moduleInstance) return { name: `All of ${environment.name}` }
    return { name: `${moduleInstance.name} · ${environment.name}`, to: '/console/instances/$id', id: moduleInstance.id }
  }
  if ('previewEnvironmentId' in data) return { name: data.givenId, to: '/console/projects/$id', id: data.project.id }
  if ('watchedRepositoryId' in data)
    return { name: data.project.name, to: '/console/projects/$id', id: data.project.id }
  if ('names' in data) return { name: data.names.join(', ') }
  return { name: 'cloudAccount' in data ? data.cloudAccount.name : '' }
}

/** Returns who triggered the event. */
export const eventActor = ({ data }: Payload): string | undefined =>
  'triggeredBy' in data ? data.triggeredBy : undefined

/** Returns the reason for an event: the error, message or description. */
export function eventReason({ data }: Payload): string | undefined {
  if ('error' in data && data.error) return data.error
  if ('message' in data && data.message) return data.message
  return 'description' in data && data.description !== '' ? data.description : undefined
}
