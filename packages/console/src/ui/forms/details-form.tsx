import { Textarea, TextInput } from '@mantine/core'
import type { Permission } from '@sluice/contract'
import type { UseMutationResult } from '@tanstack/react-query'
import { EditModal } from './edit-modal.tsx'
import { textOf } from './form-modal.tsx'

type Details = { name: string; description?: string }

type Props = { needs: Permission; of: Details; change: UseMutationResult<unknown, Error, FormData> }

/** Edits the name and description of a record. */
export const DetailsForm = ({ needs, of: { name, description }, change }: Props) => (
  <EditModal needs={needs} name={name} change={change}>
    <TextInput name="name" label="Name" required maxLength={200} defaultValue={name} data-autofocus />
    <Textarea name="description" label="Description" autosize minRows={2} defaultValue={description ?? ''} />
  </EditModal>
)

/** Returns the details from form values. An empty description clears it. */
export const detailsIn = (form: FormData): Required<Details> => ({
  name: textOf(form, 'name'),
  description: textOf(form, 'description'),
})
