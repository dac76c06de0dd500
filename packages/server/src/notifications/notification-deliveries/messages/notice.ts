import {
  type ChannelNotice,
  type ChannelNoticeType,
  type DeploymentNotice,
  isOfChannel,
  type NotificationPayload,
  type NotificationType,
  type PipelineRunNotice,
} from '@sluice/contract'

/**
 * What people are to read of an event, before it is written in the markup of a channel. All of it is plain text, much
 * of it as users wrote it.
 */
export type Notice = {
  title: string
  facts: readonly { label: string; value: string }[]
  /** Its page in the console. */
  url: string | undefined
}

type Told = DeploymentNotice | PipelineRunNotice

/** What became of a deployment or a run, after its name. */
const becameOf = {
  'deployment.approval_wanted': 'waits for approval',
  'deployment.started': 'has started',
  'deployment.paused': 'waits for a person',
  'deployment.approval_expires_soon': 'waits for approval, and not for long any more',
  'deployment.pause_expires_soon': 'waits for a person, and not for long any more',
  'deployment.succeeded': 'is live',
  'deployment.failed': 'has failed',
  'deployment.rolled_back': 'was rolled back',
  'deployment.cancelled': 'was cancelled',
  'pipeline_run.approval_wanted': 'waits for approval',
  'pipeline_run.approval_expires_soon': 'waits for approval, and not for long any more',
  'pipeline_run.succeeded': 'has succeeded',
  'pipeline_run.failed': 'has failed',
  'pipeline_run.cancelled': 'was cancelled',
} as const satisfies Record<NotificationType, string>

const titlesOfChannels = {
  'channel.test': 'A test',
  'channel.broken': 'A notification channel is broken',
} as const satisfies Record<ChannelNoticeType, string>

export function noticeOf({ type, data }: NotificationPayload): Notice {
  if (isOfChannel(type))
    return {
      title: titlesOfChannels[type],
      facts: [{ label: type === 'channel.test' ? 'Test' : 'Channel', value: messageOf(data) }],
      url: undefined,
    }
  const told = data as Told
  return { title: `${nameOf(told)} ${becameOf[type]}`, facts: factsOf(told), url: told.url }
}

/** What is told of channels says what it is in a sentence. */
const messageOf = (data: NotificationPayload['data']): string => (data as ChannelNotice).message

const nameOf = (told: Told): string =>
  'deploymentId' in told
    ? `The deployment of ${short(told.moduleInstance.name)} to ${short(told.environment.name)}`
    : `Run ${told.number} of ${short(told.pipeline.name)}`

function factsOf(told: Told): Notice['facts'] {
  const facts = {
    Project: told.project.name,
    ...('deploymentId' in told
      ? {
          Environment: told.environment.name,
          'Module instance': told.moduleInstance.name,
          Description: told.description,
        }
      : { Pipeline: told.pipeline.name, Step: told.step?.name }),
    'Asked for by': told.triggeredBy,
    'Waits for': told.message,
    Until: told.expiresAt,
    Why: told.error,
  }
  return Object.entries(facts).flatMap(([label, value]) =>
    value === undefined || value.trim() === '' ? [] : [{ label, value: cut(value, longestValue) }],
  )
}

/** So much of what people wrote is read in a chat; with that, no message is too large for one. Characters. */
const longestValue = 600
const short = (name: string): string => cut(name, 60)

/** A text that is not longer than that, with a sign that there was more. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`
