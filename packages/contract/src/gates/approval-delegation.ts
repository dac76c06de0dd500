import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { Reason } from './freeze.ts'

const closed = { additionalProperties: false } as const

const delegateId = { ...Id, description: 'The membership of who decides in their place.' }

export const ApprovalDelegation = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    membershipId: { ...Id, description: 'The membership of whom another decides for.' },
    delegateId,
    from: { ...UtcDateTime, description: 'From when on.' },
    until: { ...UtcDateTime, description: 'Until when; then it counts no more.' },
    reason: Type.Optional({ ...Reason, description: 'Why.' }),
  },
  { ...closed, description: 'Who decides in the place of somebody for a time, where approval rules ask a team.' },
)
export type ApprovalDelegation = Static<typeof ApprovalDelegation>

export const CreateApprovalDelegation = Type.Object(
  {
    delegateId,
    from: Type.Optional({ ...UtcDateTime, description: 'From when on. Absent: from now on.' }),
    until: { ...UtcDateTime, description: 'Until when: within a year.' },
    reason: Type.Optional({ ...Reason, description: 'Why.' }),
  },
  { ...closed, description: 'Who is to decide in the place of the caller.' },
)
export type CreateApprovalDelegation = Static<typeof CreateApprovalDelegation>
