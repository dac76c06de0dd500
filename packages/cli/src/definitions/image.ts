import { referenceIn, repositoryOf } from '@sluice/server/delivery/module-imports/image'

/**
 * The repository of an image, and what tells one of it. A variable has a colon of its own, which is none before a tag;
 * one that fills in all of it most likely brings both.
 */
export function imageParts(image: string): { repository: string | undefined; reference: string } {
  const covered = image.replaceAll(/\$\{env:(\w+)\}/g, '\u{e000}$1\u{e001}')
  const repository = repositoryOf(covered)
  return {
    repository: /^\u{e000}\w+\u{e001}$/u.test(repository) ? undefined : uncovered(repository),
    reference: uncovered(referenceIn(covered)),
  }
}

const uncovered = (text: string): string => text.replaceAll(/\u{e000}(\w+)\u{e001}/gu, '$${env:$1}')
