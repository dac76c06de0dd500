import { TextInput } from '@mantine/core'
import { useContext, useState } from 'react'
import { FormProblems } from '../forms/form-problems.ts'
import { slugInput, slugOf } from '../forms/slug-input.ts'

type Props = {
  /** Existing record. Its ID stays until the user edits it. */
  of?: { name: string; givenId: string } | undefined
  /** Descriptive name, such as `Production`. */
  example: string
}

/** Fields for a record's name and ID. For a new record, the ID follows the name until the user edits it. */
export const NameAndId = ({ of, example }: Props) => {
  const faults = useContext(FormProblems)
  const [name, setName] = useState(of?.name ?? '')
  const [written, setWritten] = useState(of?.givenId)
  return (
    <>
      <TextInput
        name="name"
        label="Name"
        placeholder={example}
        required
        maxLength={200}
        data-autofocus
        value={name}
        error={faults.name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        {...slugInput}
        placeholder={slugOf(example)}
        value={written ?? slugOf(name)}
        error={faults.givenId}
        onChange={(event) => setWritten(event.currentTarget.value || undefined)}
      />
    </>
  )
}
