import { TextInput } from '@mantine/core'
import { useContext, useState } from 'react'
import { FormFaults } from '../forms/form-faults.ts'
import { slugInput, slugOf } from '../forms/slug-input.ts'

type Props = {
  /** What is there already; its id stays until somebody writes another. */
  of?: { name: string; givenId: string } | undefined
  /** A name that says what is meant, such as `Production`. */
  example: string
}

/** What people and what programs call a record. The id of a new one follows its name until somebody writes it. */
export const NameAndId = ({ of, example }: Props) => {
  const faults = useContext(FormFaults)
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
