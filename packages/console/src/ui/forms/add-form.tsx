import type { Permission } from '@sluice/contract'
import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { PageCommand } from '../../commands/page-commands.ts'
import { FormModal } from './form-modal.tsx'

type Props = {
  permission: Permission
  /** Command that the button runs. */
  command?: PageCommand
  /** Label of the button and title of the dialog. */
  label: string
  submit: string
  change: UseMutationResult<unknown, Error, FormData>
  /** Form fields, read by name. */
  children: ReactNode
}

/** Button next to a list that opens a form for a new record. */
export const AddForm = ({ label, ...form }: Props) => (
  <FormModal {...form} label={label} title={label} button={{ size: 'xs' }} />
)
