import { Textarea, TextInput } from '@mantine/core'
import type { Permission } from '@sluice/contract'
import type { UseMutationResult } from '@tanstack/react-query'
import { EditModal } from './edit-modal.tsx'
import { textFieldValue } from './form-modal.tsx'

type Details = { name: string; description?: string }

type Props = { permission: Permission; of: Details; change: UseMutationResult<unknown, Error, FormData> }

/** Edits the name and description of a record. */
export const DetailsForm = ({ permission, of: { name, description }, change }: Props) => (
  <EditModal permission={permission} name={name} change={change}>
    <TextInput name="name" label="Name" required maxLength={200} defaultValue={name} data-autofocus />
    <Textarea name="description" label="Description" autosize minRows={2} defaultValue={description ?? ''} />
  </EditModal>
)

/** Returns the details from form values. An empty description clears it. */
export const detailsFromForm = (form: FormData): Required<Details> => ({
  name: textFieldValue(form, 'name'),
  description: textFieldValue(form, 'description'),
})
