import { Select } from '@mantine/core'
import type { Role } from '@sluice/contract'
import { roleNames } from './roles.ts'

type Props = {
  /** Name of the member or service account. */
  of: string
  role: Role
  /** Whether the user can change the role, and why not. */
  mayChange: { isAllowed: boolean; reason?: string | undefined }
  change: { isPending: boolean; mutate: (next: Role) => void }
}

/** Selects the role of a member or service account and saves it immediately. */
export const RoleSelect = ({ of, role, mayChange, change }: Props) => (
  <Select
    aria-label={`Role of ${of}`}
    data={roleNames}
    value={role}
    allowDeselect={false}
    disabled={!mayChange.isAllowed || change.isPending}
    title={mayChange.reason}
    onChange={(next) => next && next !== role && change.mutate(next)}
  />
)
