import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { Reason } from './freeze.ts'

const closed = { additionalProperties: false } as const

const delegateId = { ...Id, description: "ID of the delegate's membership." }

export const ApprovalDelegation = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    membershipId: { ...Id, description: 'ID of the membership whose approvals are delegated.' },
    delegateId,
    from: { ...UtcDateTime, description: 'Time when the delegation starts.' },
    until: { ...UtcDateTime, description: 'Time when the delegation ends.' },
    reason: Type.Optional({ ...Reason, description: 'Reason for the delegation.' }),
  },
  {
    ...closed,
    description:
      'Delegation of approvals from one member to another for a limited time. It applies where approval rules name teams.',
  },
)
export type ApprovalDelegation = Static<typeof ApprovalDelegation>

export const CreateApprovalDelegation = Type.Object(
  {
    delegateId,
    from: Type.Optional({ ...UtcDateTime, description: 'Time when the delegation starts. Defaults to now.' }),
    until: { ...UtcDateTime, description: 'Time when the delegation ends, at most one year from now.' },
    reason: Type.Optional({ ...Reason, description: 'Reason for the delegation.' }),
  },
  { ...closed, description: 'Fields of a new delegation. The caller delegates their own approvals.' },
)
export type CreateApprovalDelegation = Static<typeof CreateApprovalDelegation>
