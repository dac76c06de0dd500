import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { Permission } from '@sluice/contract'
import type { ComponentPropsWithoutRef } from 'react'
import { usePermission } from '../../api/use-permission.ts'
import { type PageCommand, useCommandButton } from '../../commands/page-commands.ts'

type Props = ButtonProps &
  Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps> & {
    permission: Permission
    /** Reason why the button is disabled for everyone. */
    disabledReason?: string | undefined
    /** Command that this button runs. */
    command?: PageCommand | undefined
  }

/** Button that is disabled, with a reason, for users without the permission. */
export const PermissionButton = ({ permission, disabledReason, command, onClick, ...button }: Props) => {
  const ref = useCommandButton(command)
  const may = usePermission(permission)
  if (may.isAllowed && disabledReason === undefined) return <Button {...button} ref={ref} onClick={onClick} />
  const reason = may.isAllowed ? (disabledReason ?? '') : may.reason
  return (
    <Tooltip label={reason} disabled={reason === ''}>
      <Button {...button} type="button" data-disabled aria-disabled aria-description={reason} />
    </Tooltip>
  )
}
