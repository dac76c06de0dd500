import type { Permission } from '@sluice/contract'
import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { FormModal } from './form-modal.tsx'

type Props = {
  permission: Permission
  /** Name of the record. */
  name: string
  change: UseMutationResult<unknown, Error, FormData>
  children: ReactNode
}

/** Button that edits a record in a list. */
export const EditModal = ({ permission, name, change, children }: Props) => (
  <FormModal
    permission={permission}
    label="Edit"
    ariaLabel={`Edit ${name}`}
    title={`Edit ${name}`}
    submit="Save"
    change={change}
    button={{ size: 'xs', variant: 'default' }}
  >
    {children}
  </FormModal>
)
