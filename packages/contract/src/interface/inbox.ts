import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** What somebody may have to do or to look at. */
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
        'DEPLOYMENT_APPROVAL, STEP_APPROVAL: it waits for approval. VERSION_APPROVAL: runs of a version of a pipeline ' +
        'wait for its approval. PAUSE: a deployment goes on when somebody says so. ' +
        'HOLD: nothing newer is released until somebody lets it go. FAILED_DEPLOYMENT, which may have been rolled ' +
        'back, and FAILED_RUN: it ended so.',
    }),
    id: { ...Id, description: 'The deployment, step, version, hold or run.' },
    title: Type.String({ description: 'What it is called, with where it is: `web · production`.' }),
    project: Type.String({ description: 'The project that it is in.' }),
    at: { ...UtcDateTime, description: 'Since when it waits, or when it failed.' },
    message: Type.Optional(Type.String({ description: 'What it waits for, or why it failed, in words.' })),
    moduleInstanceId: Type.Optional({ ...Id, description: 'Of a hold: what is held; absent: an environment.' }),
    pipelineRunId: Type.Optional({
      ...Id,
      description: 'Of a step: its run; of a version: the run that waits longest.',
    }),
  },
  { ...closed, description: 'Something that waits for the caller, or that failed.' },
)
export type InboxItem = Static<typeof InboxItem>

/** How many of each there are at most; further ones are there once some of these are gone. */
export const mostInInbox = 50

export const Inbox = Type.Object(
  {
    waiting: Type.Array(InboxItem, {
      description:
        `What waits for a decision that the caller may take, the longest first. Of approvals, pauses and holds the ` +
        `${mostInInbox} that wait longest are looked through.`,
    }),
    failed: Type.Array(InboxItem, {
      description: `What failed since \`seenUntil\`, the latest first; up to ${mostInInbox} deployments and as many runs.`,
    }),
    seenUntil: {
      ...UtcDateTime,
      description: 'Up to when the caller has seen what failed; of who never said so, a week ago.',
    },
    readAt: { ...UtcDateTime, description: 'When this was read: what failed until then is in it.' },
  },
  { ...closed, description: 'What the caller has to do, and has not seen yet.' },
)
export type Inbox = Static<typeof Inbox>

export const UpdateInbox = Type.Object(
  {
    seenUntil: {
      ...UtcDateTime,
      description: 'The `readAt` of the inbox that was looked at. It goes forward only, and not beyond the present.',
      examples: ['2026-11-26T10:00:00.000Z'],
    },
  },
  { ...closed, description: 'Up to when the caller has seen what failed.' },
)
