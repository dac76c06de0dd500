import { Select } from '@mantine/core'
import type { Role } from '@sluice/contract'
import { roleNames } from './roles.ts'

type Props = {
  /** Whose role it is. */
  of: string
  role: Role
  /** Whether whoever looks at it may change it, and why not. */
  mayChange: { isAllowed: boolean; reason?: string | undefined }
  change: { isPending: boolean; mutate: (next: Role) => void }
}

/** The role of a member or a service account, which changes as soon as another one is chosen. */
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
