import type { Permission } from '@sluice/contract'
import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { FormModal } from './form-modal.tsx'

type Props = {
  needs: Permission
  /** On the button, and over the form. */
  label: string
  submit: string
  change: UseMutationResult<unknown, Error, FormData>
  /** The fields; they are read by their names. */
  children: ReactNode
}

/** The button beside a list that opens the form of one more. */
export const AddForm = ({ label, ...form }: Props) => (
  <FormModal {...form} label={label} title={label} button={{ size: 'xs' }} />
)
