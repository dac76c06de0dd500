import type { Permission } from '@sluice/contract'
import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { FormModal } from './form-modal.tsx'

type Props = {
  needs: Permission
  /** What people call the record. */
  name: string
  change: UseMutationResult<unknown, Error, FormData>
  children: ReactNode
}

/** Changes a record in a list of them: each has such a button. */
export const EditModal = ({ needs, name, change, children }: Props) => (
  <FormModal
    needs={needs}
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
