/** Whether a certificate's name is that of a host: `*` stands for one label. */
export const covers = (name: string, host: string): boolean =>
  name === host || (name.startsWith('*.') && host.slice(host.indexOf('.')) === name.slice(1))
