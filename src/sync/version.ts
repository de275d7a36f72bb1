/** The version of this package; the build puts it in. */
export const VERSION: string = process.env.WEBSITES_BUILD_VERSION ?? '0.0.0';
