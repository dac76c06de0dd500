import { Textarea } from '@mantine/core'
import { useContext } from 'react'
import { FormProblems } from '../../ui/forms/form-problems.ts'

type Props = { reason: string | undefined; placeholder?: string }

/** Field for the reason of a rule. An existing reason can be changed but not removed. */
export const ReasonField = ({ reason, placeholder }: Props) => {
  const faults = useContext(FormProblems)
  return (
    <Textarea
      name="reason"
      label="Reason"
      description="Shown to everyone it blocks."
      {...(placeholder !== undefined && { placeholder })}
      autosize
      minRows={1}
      maxLength={500}
      required={reason !== undefined}
      defaultValue={reason}
      error={faults.reason}
    />
  )
}
