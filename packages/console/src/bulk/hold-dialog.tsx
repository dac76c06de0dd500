import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { BulkDialog } from './bulk-dialog.tsx'
import { type BulkEntry, countOf } from './bulk-entry.ts'

type Props = { title: string; planOf: (reason: string) => BulkEntry[]; onClose: () => void }

/** Holds several services for one reason. */
export const HoldDialog = ({ title, planOf, onClose }: Props) => {
  const [reason, setReason] = useState('')
  const given = reason.trim()
  const entries = planOf(given)
  const isPossible = entries.some(({ run }) => run !== undefined)
  return (
    <BulkDialog
      title={title}
      entries={entries}
      confirmLabel={(count) => `Hold ${countOf(count)}`}
      missing={given === '' && isPossible ? 'Enter a reason.' : undefined}
      onClose={onClose}
      fields={
        <Textarea
          label="Reason"
          placeholder="Prices have been wrong since 2.4."
          autosize
          minRows={2}
          maxLength={500}
          required
          data-autofocus
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      }
    />
  )
}
