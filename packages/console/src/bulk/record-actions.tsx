import type { DeploymentRecordRow } from '@sluice/contract'
import { useState } from 'react'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { BulkDialog } from './bulk-dialog.tsx'
import { maxEntries } from './bulk-entry.ts'
import { HoldDialog } from './hold-dialog.tsx'
import { planRecordCancellation, planRecordHold } from './plan-record-actions.ts'
import { SelectionBar } from './selection-bar.tsx'

type Props = { rows: readonly DeploymentRecordRow[]; onClear: () => void }

/** Bar with the actions for the selected deployments. */
export const RecordActions = ({ rows, onClear }: Props) => {
  const [action, setAction] = useState<'hold' | 'cancel'>()
  const close = () => setAction(undefined)
  const disabledReason = rows.length > maxEntries ? `Select at most ${maxEntries} deployments.` : undefined
  return (
    <>
      <SelectionBar label="Actions for selected deployments" count={rows.length} onClear={onClear}>
        <PermissionButton
          permission="deployments:write"
          size="xs"
          variant="default"
          disabledReason={disabledReason}
          onClick={() => setAction('cancel')}
        >
          Cancel deployments…
        </PermissionButton>
        <PermissionButton
          permission="holds:write"
          size="xs"
          variant="default"
          disabledReason={disabledReason}
          onClick={() => setAction('hold')}
        >
          Hold services…
        </PermissionButton>
      </SelectionBar>
      {action === 'cancel' && (
        <BulkDialog
          title="Cancel deployments"
          entries={planRecordCancellation(rows)}
          confirmLabel={(count) => `Cancel ${count} ${count === 1 ? 'deployment' : 'deployments'}`}
          color="red"
          onClose={close}
        />
      )}
      {action === 'hold' && (
        <HoldDialog title="Hold services" planOf={(reason) => planRecordHold(rows, reason)} onClose={close} />
      )}
    </>
  )
}
