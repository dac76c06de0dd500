import type { Permission } from '@sluice/contract'
import type { ReactNode } from 'react'
import { ConfirmButton } from './confirm-button.tsx'

type Props = {
  /** What it takes; without it, everybody may. */
  needs?: Permission
  label: string
  /** Of the record, which tells this button from those of other records. */
  name: string
  change: { isPending: boolean; mutate: (nothing: undefined) => void }
  /** What happens then. */
  children: ReactNode
}

/** A record's button that removes it, having asked. */
export const RemoveButton = ({ needs, label, name, change, children }: Props) => (
  <ConfirmButton
    {...(needs && { needs })}
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
