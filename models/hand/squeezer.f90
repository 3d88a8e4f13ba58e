! SPDX-License-Identifier: GPL-3.0-or-later
!
! Andrews' squeezing mechanism in Fortran, from the formulas of Hairer & Wanner, Solving Ordinary
! Differential Equations II (2nd ed. 1996), section VII.7.  The same quantities as squeezer.c, as a
! Fortran programmer would hand them over; the convention is in README.md in this directory.
! External procedures, so that the symbols are hand_mass_, hand_force_, ...; the data stand where
! they are used (no module, so that compiling leaves no .mod file behind).

subroutine hand_mass(t, q, p, m)
  implicit none
  integer, parameter :: dp = kind(1d0)
  ! HW tables 7.1 and 7.2
  real(dp), parameter :: m1 = 0.04325_dp, m2 = 0.00365_dp, m3 = 0.02373_dp, m4 = 0.00706_dp
  real(dp), parameter :: m5 = 0.07050_dp, m6 = 0.00706_dp, m7 = 0.05498_dp
  real(dp), parameter :: i1 = 2.194e-6_dp, i2 = 4.410e-7_dp, i3 = 5.255e-6_dp, i4 = 5.667e-7_dp
  real(dp), parameter :: i5 = 1.169e-5_dp, i6 = 5.667e-7_dp, i7 = 1.912e-5_dp
  real(dp), parameter :: da = 0.0115_dp, e = 0.02_dp, ea = 0.01421_dp, zf = 0.02_dp, fa = 0.01421_dp
  real(dp), parameter :: rr = 0.007_dp, ra = 0.00092_dp, sa = 0.01874_dp, sb = 0.01043_dp
  real(dp), parameter :: zt = 0.04_dp, ta = 0.02308_dp, tb = 0.00916_dp
  real(dp), parameter :: u = 0.04_dp, ua = 0.01228_dp, ub = 0.00449_dp
  real(dp), intent(in) :: t, q(7), p(*)
  real(dp), intent(inout) :: m(7, 7)
  m(1, 1) = m1*ra**2 + m2*(rr**2 - 2*da*rr*cos(q(2)) + da**2) + i1 + i2
  m(2, 1) = m2*(da**2 - da*rr*cos(q(2))) + i2
  m(2, 2) = m2*da**2 + i2
  m(3, 3) = m3*(sa**2 + sb**2) + i3
  m(4, 4) = m4*(e - ea)**2 + i4
  m(5, 4) = m4*((e - ea)**2 + zt*(e - ea)*sin(q(4))) + i4
  m(5, 5) = m4*(zt**2 + 2*zt*(e - ea)*sin(q(4)) + (e - ea)**2) + m5*(ta**2 + tb**2) + i4 + i5
  m(6, 6) = m6*(zf - fa)**2 + i6
  m(7, 6) = m6*((zf - fa)**2 - u*(zf - fa)*sin(q(6))) + i6
  m(7, 7) = m6*((zf - fa)**2 - 2*u*(zf - fa)*sin(q(6)) + u**2) + m7*(ua**2 + ub**2) + i6 + i7
end subroutine

subroutine hand_force(t, q, v, p, f)
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), parameter :: xb = -0.03635_dp, yb = 0.03273_dp, xc = 0.014_dp, yc = 0.072_dp
  real(dp), parameter :: da = 0.0115_dp, e = 0.02_dp, ea = 0.01421_dp, zf = 0.02_dp, fa = 0.01421_dp
  real(dp), parameter :: rr = 0.007_dp, sc = 0.018_dp, sd = 0.02_dp, zt = 0.04_dp, u = 0.04_dp
  real(dp), parameter :: m2 = 0.00365_dp, m4 = 0.00706_dp, m6 = 0.00706_dp
  real(dp), parameter :: c0 = 4530, l0 = 0.07785_dp, mom = 0.033_dp
  real(dp), intent(in) :: t, q(7), v(7), p(*)
  real(dp), intent(out) :: f(7)
  real(dp) :: xd, yd, length, pull
  xd = sd*cos(q(3)) + sc*sin(q(3)) + xb
  yd = sd*sin(q(3)) - sc*cos(q(3)) + yb
  length = sqrt((xd - xc)**2 + (yd - yc)**2)
  pull = -c0*(length - l0)/length
  f(1) = mom - m2*da*rr*v(2)*(v(2) + 2*v(1))*sin(q(2))
  f(2) = m2*da*rr*v(1)**2*sin(q(2))
  f(3) = pull*(xd - xc)*(sc*cos(q(3)) - sd*sin(q(3))) + pull*(yd - yc)*(sd*cos(q(3)) + sc*sin(q(3)))
  f(4) = m4*zt*(e - ea)*v(5)**2*cos(q(4))
  f(5) = -m4*zt*(e - ea)*v(4)*(v(4) + 2*v(5))*cos(q(4))
  f(6) = -m6*u*(zf - fa)*v(7)**2*cos(q(6))
  f(7) = m6*u*(zf - fa)*v(6)*(v(6) + 2*v(7))*cos(q(6))
end subroutine

subroutine hand_constraint(t, q, p, g)
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), parameter :: xa = -0.06934_dp, ya = -0.00227_dp, xb = -0.03635_dp, yb = 0.03273_dp
  real(dp), parameter :: rr = 0.007_dp, d = 0.028_dp, ss = 0.035_dp, e = 0.02_dp, zt = 0.04_dp, zf = 0.02_dp, u = 0.04_dp
  real(dp), intent(in) :: t, q(7), p(*)
  real(dp), intent(out) :: g(6)
  g(1::2) = rr*cos(q(1)) - d*cos(q(1) + q(2))
  g(2::2) = rr*sin(q(1)) - d*sin(q(1) + q(2))
  g(1) = g(1) - ss*sin(q(3)) - xb
  g(2) = g(2) + ss*cos(q(3)) - yb
  g(3) = g(3) - e*sin(q(4) + q(5)) - zt*cos(q(5)) - xa
  g(4) = g(4) + e*cos(q(4) + q(5)) - zt*sin(q(5)) - ya
  g(5) = g(5) - zf*cos(q(6) + q(7)) - u*sin(q(7)) - xa
  g(6) = g(6) - zf*sin(q(6) + q(7)) + u*cos(q(7)) - ya
end subroutine

subroutine hand_constraint_jacobian(t, q, p, g)
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), parameter :: rr = 0.007_dp, d = 0.028_dp, ss = 0.035_dp, e = 0.02_dp, zt = 0.04_dp, zf = 0.02_dp, u = 0.04_dp
  real(dp), intent(in) :: t, q(7), p(*)
  real(dp), intent(inout) :: g(6, 7)
  g(1::2, 1) = -rr*sin(q(1)) + d*sin(q(1) + q(2))
  g(2::2, 1) = rr*cos(q(1)) - d*cos(q(1) + q(2))
  g(1::2, 2) = d*sin(q(1) + q(2))
  g(2::2, 2) = -d*cos(q(1) + q(2))
  g(1, 3) = -ss*cos(q(3))
  g(2, 3) = -ss*sin(q(3))
  g(3, 4) = -e*cos(q(4) + q(5))
  g(4, 4) = -e*sin(q(4) + q(5))
  g(3, 5) = -e*cos(q(4) + q(5)) + zt*sin(q(5))
  g(4, 5) = -e*sin(q(4) + q(5)) - zt*cos(q(5))
  g(5, 6) = zf*sin(q(6) + q(7))
  g(6, 6) = -zf*cos(q(6) + q(7))
  g(5, 7) = zf*sin(q(6) + q(7)) - u*cos(q(7))
  g(6, 7) = -zf*cos(q(6) + q(7)) - u*sin(q(7))
end subroutine

subroutine hand_constraint_acceleration(t, q, v, p, gamma)
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), parameter :: rr = 0.007_dp, d = 0.028_dp, ss = 0.035_dp, e = 0.02_dp, zt = 0.04_dp, zf = 0.02_dp, u = 0.04_dp
  real(dp), intent(in) :: t, q(7), v(7), p(*)
  real(dp), intent(out) :: gamma(6)
  gamma(1::2) = -rr*cos(q(1))*v(1)**2 + d*cos(q(1) + q(2))*(v(1) + v(2))**2
  gamma(2::2) = -rr*sin(q(1))*v(1)**2 + d*sin(q(1) + q(2))*(v(1) + v(2))**2
  gamma(1) = gamma(1) + ss*sin(q(3))*v(3)**2
  gamma(2) = gamma(2) - ss*cos(q(3))*v(3)**2
  gamma(3) = gamma(3) + e*sin(q(4) + q(5))*(v(4) + v(5))**2 + zt*cos(q(5))*v(5)**2
  gamma(4) = gamma(4) - e*cos(q(4) + q(5))*(v(4) + v(5))**2 + zt*sin(q(5))*v(5)**2
  gamma(5) = gamma(5) + zf*cos(q(6) + q(7))*(v(6) + v(7))**2 + u*sin(q(7))*v(7)**2
  gamma(6) = gamma(6) + zf*sin(q(6) + q(7))*(v(6) + v(7))**2 - u*cos(q(7))*v(7)**2
end subroutine
