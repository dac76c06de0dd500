import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Types of inbox items. */
export const inboxTypes = [
  'DEPLOYMENT_APPROVAL',
  'STEP_APPROVAL',
  'VERSION_APPROVAL',
  'PAUSE',
  'HOLD',
  'FAILED_DEPLOYMENT',
  'FAILED_RUN',
] as const

export const InboxItem = Type.Object(
  {
    type: Type.Enum(inboxTypes, {
      description:
        'Type of the item. DEPLOYMENT_APPROVAL and STEP_APPROVAL: it waits for approval. VERSION_APPROVAL: runs wait for the approval of their pipeline version. PAUSE: a deployment waits to be continued. HOLD: a hold blocks new releases. FAILED_DEPLOYMENT: a deployment failed or was rolled back. FAILED_RUN: a run failed.',
    }),
    id: { ...Id, description: 'ID of the deployment, step, version, hold or run.' },
    title: Type.String({ description: 'Name of the resource and its location, such as `web · production`.' }),
    project: Type.String({ description: 'Name of the project.' }),
    at: { ...UtcDateTime, description: 'Time since when it waits, or when it failed.' },
    message: Type.Optional(Type.String({ description: 'Human-readable reason for waiting or failing.' })),
    moduleInstanceId: Type.Optional({
      ...Id,
      description: 'ID of the held module instance. Absent if the hold applies to an environment.',
    }),
    pipelineRunId: Type.Optional({
      ...Id,
      description: "ID of the step's run, or of the longest-waiting run of the version.",
    }),
  },
  { ...closed, description: 'Item that waits for a decision by the caller, or that failed.' },
)
export type InboxItem = Static<typeof InboxItem>

/** Maximum number of items of each kind. Further ones appear when some of these are gone. */
export const maxInboxItems = 50

export const Inbox = Type.Object(
  {
    waiting: Type.Array(InboxItem, {
      description: `Items that wait for a decision that the caller can make, longest-waiting first. Only the ${maxInboxItems} longest-waiting approvals, pauses and holds are considered.`,
    }),
    failed: Type.Array(InboxItem, {
      description: `Failures since \`seenUntil\`, newest first: up to ${maxInboxItems} deployments and ${maxInboxItems} runs.`,
    }),
    seenUntil: {
      ...UtcDateTime,
      description: 'Time up to which the caller has seen failures. Defaults to one week ago.',
    },
    readAt: { ...UtcDateTime, description: 'Time when the inbox was read. It contains failures up to this time.' },
  },
  { ...closed, description: 'Inbox of the caller: pending decisions and unseen failures.' },
)
export type Inbox = Static<typeof Inbox>

export const UpdateInbox = Type.Object(
  {
    seenUntil: {
      ...UtcDateTime,
      description: '`readAt` of the inbox that was displayed. Earlier values and future times have no effect.',
      examples: ['2026-11-26T10:00:00.000Z'],
    },
  },
  { ...closed, description: 'Marks failures as seen up to a time.' },
)
