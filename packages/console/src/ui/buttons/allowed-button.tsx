import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { Permission } from '@sluice/contract'
import type { ComponentPropsWithoutRef } from 'react'
import { useMay } from '../../api/use-may.ts'

type Props = ButtonProps &
  Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps> & {
    needs: Permission
    /** Reason why the button is disabled for everyone. */
    keptFrom?: string | undefined
  }

/** Button that is disabled, with a reason, for users without the permission. */
export const AllowedButton = ({ needs, keptFrom, onClick, ...button }: Props) => {
  const may = useMay(needs)
  if (may.isAllowed && keptFrom === undefined) return <Button {...button} onClick={onClick} />
  const reason = may.isAllowed ? (keptFrom ?? '') : may.reason
  return (
    <Tooltip label={reason} disabled={reason === ''}>
      <Button {...button} type="button" data-disabled aria-disabled aria-description={reason} />
    </Tooltip>
  )
}
