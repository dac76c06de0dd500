import type { Permission } from '@sluice/contract'
import type { ReactNode } from 'react'
import { ConfirmButton } from './confirm-button.tsx'

type Props = {
  /** Required permission; none by default. */
  permission?: Permission
  label: string
  /** Name of the record, for screen readers. */
  name: string
  change: { isPending: boolean; mutate: (nothing: undefined) => void }
  /** Consequences of the action. */
  children: ReactNode
}

/** Button that removes a record after confirmation. */
export const RemoveButton = ({ permission, label, name, change, children }: Props) => (
  <ConfirmButton
    {...(permission && { permission })}
    variant="subtle"
    color="red"
    size="xs"
    label={label}
    ariaLabel={`${label} ${name}`}
    question={`${label} ${name}?`}
    loading={change.isPending}
    onConfirm={() => change.mutate(undefined)}
  >
    {children}
  </ConfirmButton>
)
