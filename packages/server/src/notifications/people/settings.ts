import { defaultTopics, type NotificationTopic, type NotificationType } from '@sluice/contract'
import type { NotificationChannelRow } from '../notification-channels/tables.ts'
import { type Event, subscribesTo } from '../notification-deliveries/machine.ts'

/** Mail settings of a member. */
export type Settings = Pick<
  NotificationChannelRow,
  | 'enabled'
  | 'topics'
  | 'projectIds'
  | 'environmentIds'
  | 'events'
  | 'minimumSeverity'
  | 'quietHours'
  | 'digest'
  | 'timeZone'
>

/** Mail settings of members who have not changed them. */
export const defaultSettings: Settings = {
  enabled: true,
  topics: [...defaultTopics],
  projectIds: [],
  environmentIds: [],
  events: [],
  minimumSeverity: 'INFO',
  quietHours: [],
  digest: 'NONE',
  timeZone: 'UTC',
}

/** Event types that are sent to those who started the deployment or run. */
const ofStarted: readonly string[] = [
  'deployment.paused',
  'deployment.pause_expires_soon',
  'deployment.failed',
  'deployment.rolled_back',
  'pipeline_run.failed',
] satisfies NotificationType[]

/** Event types that are sent to possible approvers. */
const ofApprovals: readonly string[] = [
  'deployment.approval_requested',
  'deployment.approval_expires_soon',
  'pipeline_run.approval_requested',
  'pipeline_run.version_approval_requested',
  'pipeline_run.approval_expires_soon',
] satisfies NotificationType[]

export const tellsStarter = ({ payload }: Event): boolean => ofStarted.includes(payload.type)
export const tellsApprovers = ({ payload }: Event): boolean => ofApprovals.includes(payload.type)

/** Relation of a member to an event. */
export type Part = {
  isStarter: boolean
  mayApprove: boolean
  isOwner: boolean
  /** Whether a team of theirs is notified. */
  isInTeamTold: boolean
}

/** Reports whether a member gets mail about an event. The caller checks their access. */
export function wantsMailAbout(settings: Settings, event: Event, part: Part): boolean {
  const reasons: Record<NotificationTopic, () => boolean> = {
    STARTED: () => part.isStarter && tellsStarter(event),
    APPROVALS: () => part.mayApprove && tellsApprovers(event),
    CRITICAL: () => part.isOwner && subscribesTo({ ...everything, minimumSeverity: 'CRITICAL' }, event),
    FOLLOWED: () => isFollowed(settings, event),
  }
  return settings.enabled && (part.isInTeamTold || settings.topics.some((topic) => reasons[topic]()))
}

const everything = {
  events: [],
  minimumSeverity: 'INFO',
  projectId: null,
  environmentIds: [],
  format: 'STANDARD' as const,
  toldSince: new Date(0),
}

function isFollowed({ projectIds, environmentIds, events, minimumSeverity }: Settings, event: Event): boolean {
  const isThere = projectIds.length === 0 || (event.projectId !== null && projectIds.includes(event.projectId))
  return isThere && subscribesTo({ ...everything, events, minimumSeverity, environmentIds }, event)
}
