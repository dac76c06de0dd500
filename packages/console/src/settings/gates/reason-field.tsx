import { Textarea } from '@mantine/core'
import { useContext } from 'react'
import { FormFaults } from '../../ui/forms/form-faults.ts'

type Props = { reason: string | undefined; placeholder?: string }

/** Why a rule is there, for those whom it stops. One that is there may be another, but not none. */
export const ReasonField = ({ reason, placeholder }: Props) => {
  const faults = useContext(FormFaults)
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
